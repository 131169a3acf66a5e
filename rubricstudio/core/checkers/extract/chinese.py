"""Rules for plain phrasings in Chinese."""

from typing import Final

import regex

from rubricstudio.core.checkers.extract.phrasing import (
    FLAGS,
    QUOTED,
    QUOTED_LIST,
    bound,
    compiled,
    quoted_texts,
    unquoted,
    value,
)
from rubricstudio.core.checkers.extract.rule import Asked, Make, Rule
from rubricstudio.core.types import Json

_N: Final = r"(?:\d{1,3}(?:,\d{3})+|\d{1,7}|[一二三四五六七八九十百千两万]{1,9})"
_S: Final = r"\s*"
_AMOUNT: Final = "|".join(
    (
        rf"(?:不少于|至少|不低于|最少|不得少于|不能少于|多于等于){_S}(?:有|写|要)?{_S}(?P<ge>{_N}){_S}UNIT",
        rf"(?:不超过|不多于|最多|至多|不得超过|不要超过|不能超过|限){_S}(?P<le>{_N}){_S}UNIT",
        rf"(?<![不能])(?:少于|小于|低于){_S}(?P<lt>{_N}){_S}UNIT",
        rf"(?<![不能要得])(?:多于|超过|大于){_S}(?P<gt>{_N}){_S}UNIT",
        rf"(?:恰好|正好|刚好|必须是|严格){_S}(?P<eq>{_N}){_S}UNIT",
        rf"(?P<low>{_N}){_S}(?:-|–|—|~|～|到|至){_S}(?P<high>{_N}){_S}UNIT",
        rf"(?P<le>{_N}){_S}UNIT{_S}(?:以内|之内|以下)",
        rf"(?P<ge>{_N}){_S}UNIT{_S}(?:以上|或以上|或更多)",
        rf"(?P<approx>{_N}){_S}UNIT{_S}(?:左右|上下)",
        rf"(?:大约|约|大概){_S}(?P<approx>{_N}){_S}UNIT",
    )
)
_TOTAL: Final = (
    rf"字数(?:要求|应|须|需|请)?(?:为|在|控制在|限制在)?{_S}(?:"
    rf"(?:不少于|至少|不低于)(?P<ge>{_N})|(?:不超过|最多|不多于)(?P<le>{_N})|"
    rf"(?P<low>{_N}){_S}(?:-|–|~|～|到|至){_S}(?P<high>{_N}))(?![\d{{字}}])"
)
_UNITS: Final[tuple[tuple[str, str], ...]] = (
    (r"(?:个)?字符", "char_count"),
    (r"(?:个)?(?:汉)?字(?!符|母|节|段)", "word_count"),
    (r"(?:个)?(?:单词|词)(?!语|汇)", "word_count"),
    (r"(?:个)?句(?:话|子)?", "sentence_count"),
    (r"(?:个)?(?:自然)?段(?:落|话)?", "paragraph_count"),
    (r"行(?!业|动|为|程)", "line_count"),
)
_NOT: Final = r"(?:不要|不能|不得|不可|不应|不许|请勿|切勿|勿|禁止|避免|别|不)"
_USE: Final = r"(?:出现|使用|包含|包括|提到|提及|含有|用到|用|写)"
_WORDS: Final = (
    r"(?:(?:以下|下列|这些|如下|任何)?(?:几个|两个|三个)?(?:关键)?(?:词语|词汇|字眼|短语|词|字)?)"
)
_LANGUAGES: Final = {
    "英语": "en",
    "英文": "en",
    "中文": "zh",
    "汉语": "zh",
    "日语": "ja",
    "日文": "ja",
    "韩语": "ko",
    "韩文": "ko",
    "法语": "fr",
    "法文": "fr",
    "德语": "de",
    "德文": "de",
    "西班牙语": "es",
    "俄语": "ru",
    "俄文": "ru",
    "葡萄牙语": "pt",
    "意大利语": "it",
    "阿拉伯语": "ar",
    "泰语": "th",
    "越南语": "vi",
}
_MARKS: Final = {"逗号": [","], "感叹号": ["!"], "问号": ["?"], "分号": [";"], "冒号": [":"]}
_NEGATED: Final = regex.compile(rf"{_NOT}$", FLAGS)
_OF_A_PART: Final = regex.compile(r"(?:每|各|段|句|行|标题|题目)[^,，。；;]{0,6}$", FLAGS)


def _counts(kind: str) -> Make:
    return lambda match, _: (kind, bound(match))


def _phrases(kind: str) -> Make:
    def make(match: "regex.Match[str]", prompt: str) -> Asked | None:
        if kind == "contain" and _NEGATED.search(prompt[: match.start()]):
            return None
        return kind, {"phrases": list[Json](dict.fromkeys(quoted_texts(match["list"])))}

    return make


def _edge(kind: str) -> Make:
    def make(match: "regex.Match[str]", prompt: str) -> Asked | None:
        if _OF_A_PART.search(prompt[max(match.start() - 20, 0) : match.start()]):
            return None
        return kind, {"text": unquoted(match["text"])}

    return make


def _nth(relation: str) -> Make:
    def make(match: "regex.Match[str]", _: str) -> Asked:
        number = -1 if "后" in match["n"] else value(match["n"])
        return f"nth_paragraph_{relation}", {"n": number, "text": unquoted(match["text"])}

    return make


def _language(match: "regex.Match[str]", _: str) -> Asked:
    return "language", {"language": _LANGUAGES[match["language"]]}


def _no_marks(match: "regex.Match[str]", _: str) -> Asked:
    marks = _MARKS.get(match["mark"])
    return "no_punctuation", {"marks": list[Json](marks)} if marks else {}


_BEHIND: Final = r"(?:这(?:句话|个词|几个字|两个字|段话|个字)|一词|一句|二字|两字|的话)?"

RULES: Final = (
    *(
        Rule(compiled(_AMOUNT.replace("UNIT", unit)), _counts(kind), whole=True)
        for unit, kind in _UNITS
    ),
    Rule(compiled(_TOTAL), _counts("word_count"), whole=True),
    Rule(
        compiled(
            rf"(?:分(?:为|成)?|写成|共|写){_S}(?P<eq>(?!一){_N}){_S}(?:个)?(?:自然)?段(?:落)?(?!时|加)"
        ),
        _counts("paragraph_count"),
        whole=True,
    ),
    Rule(
        compiled(rf"{_NOT}{_USE}{_WORDS}[::]?{_S}(?P<list>{QUOTED_LIST})"), _phrases("not_contain")
    ),
    Rule(
        compiled(
            rf"(?P<list>{QUOTED_LIST}){_S}(?:等|这(?:个|些|几个)|一)?(?:词语|词|字眼|字)?{_NOT}出现"
        ),
        _phrases("not_contain"),
    ),
    Rule(
        compiled(
            rf"(?:包含|使用|出现|用到|提到|含有|加入|包括)(?:以下|下列)?(?:几个|两个|三个)?"
            rf"(?:关键词|关键字|词语|短语|词)[::]?{_S}(?P<list>{QUOTED_LIST})"
        ),
        _phrases("contain"),
    ),
    Rule(
        compiled(
            rf"(?:必须|需要|请|要|应)(?:包含|使用|出现|用到|提到|含有){_S}(?P<list>{QUOTED_LIST})"
            r"(?:这|等|一)?(?:个|些|两个|几个)?(?:关键词|词语|词|字|短语)"
        ),
        _phrases("contain"),
    ),
    Rule(
        compiled(rf"以{_S}(?P<text>{QUOTED}){_S}{_BEHIND}(?:作为|为)?(?:开头|开始|开篇|起头)"),
        _edge("begin_with"),
    ),
    Rule(
        compiled(rf"以{_S}(?P<text>{QUOTED}){_S}{_BEHIND}(?:作为|为)?(?:结尾|结束|收尾|作结)"),
        _edge("end_with"),
    ),
    *(
        Rule(
            compiled(
                rf"(?P<n>第{_S}{_N}|最后一){_S}(?:个)?(?:自然)?段(?:落)?(?:要|必须|应|需|请)?以{_S}"
                rf"(?P<text>{QUOTED}){_S}{_BEHIND}(?:作为|为)?(?:{verb})"
            ),
            _nth(relation),
        )
        for verb, relation in (("开头|开始", "begin_with"), ("结尾|结束", "end_with"))
    ),
    Rule(
        compiled(
            rf"(?:只|仅|全部|全程|请|必须)?(?:用|使用|以){_S}(?P<language>{'|'.join(_LANGUAGES)})"
            rf"{_S}(?:来)?(?:回答|回复|作答|答复|撰写|书写|写作|写|输出)(?!了|过|的)"
        ),
        _language,
    ),
    Rule(
        compiled(
            rf"(?:以|用|按|按照){_S}(?:标准|合法|有效)?(?:的)?{_S}JSON{_S}(?:的)?(?:格式|形式)?{_S}"
            r"(?:输出|返回|回答|回复|给出)|(?:输出|返回|回答|回复)[^,，。\n]{0,8}JSON(?:格式|对象)"
        ),
        lambda _match, _prompt: ("json_only", {}),
    ),
    Rule(
        compiled(rf"{_NOT}{_USE}?(?:任何)?(?P<mark>标点(?:符号)?|{'|'.join(_MARKS)})"),
        _no_marks,
    ),
    Rule(
        compiled(r"(?:全部|全|都)(?:用|使用)?小写(?:字母)?"),
        lambda _match, _prompt: ("letter_case", {"form": "lower"}),
    ),
    Rule(
        compiled(r"(?:全部|全|都)(?:用|使用)?大写(?:字母)?"),
        lambda _match, _prompt: ("letter_case", {"form": "upper"}),
    ),
    Rule(
        compiled(
            r"(?:以|用)(?:Markdown)?表格(?:的)?(?:形式|格式)?(?:输出|呈现|列出|展示|回答|给出)"
        ),
        lambda _match, _prompt: ("table", {}),
    ),
)
