"""Responses as people read them: Markdown, without anything that could run or load.

HTML in the text stays text. Links open only http, https and mailto, and tell the other side
nothing. Images are never loaded: their description stands in their place, as a link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

OPENED = ("http://", "https://", "mailto:")


class _Renderer(RendererHTML):
    def link_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        tokens[at].attrSet("rel", "nofollow noopener noreferrer")
        tokens[at].attrSet("target", "_blank")
        return self.renderToken(tokens, at, options, env)

    def image(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        token = tokens[at]
        words = self.renderInlineAsText(token.children or [], options, env) or _("without words")
        link = Token("link_open", "a", 1, attrs={"href": token.attrs.get("src", "")})
        text = Token("text", "", 0, content=_("image: %(words)s") % {"words": words})
        inline = [link, text, Token("link_close", "a", -1)]
        return self.renderInline(inline, options, env)

    def heading_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        """A paragraph that looks like one: the headings of the page are not the response's."""
        return f'<p class="heading {tokens[at].tag}">'

    def heading_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return "</p>\n"

    def th_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return self._cell(tokens[at])

    def td_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return self._cell(tokens[at])

    def _cell(self, token: Token) -> str:
        """With a class instead of the style attribute, which the security policy forbids."""
        style = str(token.attrs.get("style", ""))
        kind = ' class="number"' if style.endswith("right") else ""
        return f"<{token.tag}{kind}>"

    def table_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return '<div class="wide-part">' + self.renderToken(tokens, at, options, env)

    def table_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return self.renderToken(tokens, at, options, env) + "</div>"


def _reader() -> MarkdownIt:
    options = {"html": False, "linkify": False, "breaks": True, "maxNesting": 20}
    reader = MarkdownIt("commonmark", options, renderer_cls=_Renderer)
    reader.enable(["table", "strikethrough"])
    reader.validateLink = lambda url: url.strip().lower().startswith(OPENED)  # type: ignore[method-assign]
    return reader


READER = _reader()


def render_markdown(text: str) -> SafeString:
    """The text as HTML that is safe to show."""
    # The renderer escapes all text and attributes, and HTML is off.
    return SafeString(READER.render(text))
