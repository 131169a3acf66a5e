"""The gate lets honest checkers pass and says in one sentence why it keeps others out."""

import pytest

from rubricstudio.sandbox.gate import MODULES, Refused, examine

HONEST = [
    """
import re
from collections import Counter

LIMIT = 3
WORDS: dict[str, int] = {"one": 1}


def count(text):
    return len(re.findall(r"\\w+", text, re.IGNORECASE))


def check_following(instruction: str, response: str) -> bool:
    \"\"\"Counts words.\"\"\"
    try:
        number = int(re.search(r"\\d+", instruction).group())
    except AttributeError:
        number = LIMIT
    seen = Counter(response.split())
    while number > 0:
        number -= 1
        if number == 7:
            break
    return all(value <= 9 for value in seen.values()) and count(response) >= 0
""",
    """
import json, math, string, unicodedata, itertools

def check_following(instruction, response):
    try:
        data = json.loads(response)
    except json.JSONDecodeError:
        return False
    match data:
        case {"name": str(name)}:
            return bool(name.strip(string.punctuation))
    return any(math.isfinite(one) for one in itertools.chain(data) if isinstance(one, float))
""",
    # Bold in Markdown, which is not the name of anything.
    """
import re
def check_following(instruction, response):
    return bool(re.search(r"__(.+?)__", response)) and "__" in response
""",
]


@pytest.mark.parametrize("source", HONEST)
def test_an_honest_checker_passes(source: str) -> None:
    examine(source)


def check(body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"def check_following(instruction, response):\n{lines}\n"


KEPT_OUT = {
    "import os\n" + check("return True"): "the module os cannot be imported; allowed are",
    "import os.path\n" + check("return True"): "os.path",
    "from re import enum\n" + check("return True"): "re.enum is not allowed",
    "from string import *\n" + check("return True"): "string.* is not allowed",
    "from . import re\n" + check("return True"): "the module . cannot be imported",
    "import re\n" + check("return re.enum.sys"): "re.enum is not allowed",
    "import json as j\n" + check("return j.decoder"): "json.decoder is not allowed",
    "import re\n" + check("re.findall = len\nreturn True"): "must not change the module re",
    check("response.x = 1\nreturn True"): "must not set attributes",
    check("return eval('1')"): "the name eval",
    check("return ｅｖａｌ('1')"): "the name eval",
    check("return getattr(response, 'x')"): "the name getattr",
    check("return ().__class__"): "the attribute __class__",
    check("return '{0.__init__}'.format(response)"): "names a special attribute",
    check("class A:\n    pass\nreturn True"): "ClassDef is not allowed",
    check("async def a():\n    pass\nreturn True"): "AsyncFunctionDef is not allowed",
    check("with response:\n    pass\nreturn True"): "With is not allowed",
    check("global x\nreturn True"): "Global is not allowed",
    check("while True:\n    pass"): "this loop has no end",
    check("try:\n    pass\nexcept:\n    pass\nreturn True"): "a bare except",
    check("try:\n    pass\nexcept BaseException:\n    pass\nreturn True"): "BaseException",
    "@print\n" + check("return True"): "decorators are not allowed",
    "print(1)\n" + check("return True"): "outside functions only imports and assignments",
    "def other(instruction, response):\n    return True\n": "defines one function check_following",
    "def check_following(response):\n    return True\n": "defines one function check_following",
    check("return True") * 2: "defines one function check_following",
    check("x = 1\n" * 3_000 + "return True"): "characters, and a checker may have 20,000",
    check("x = 1\n" * 800 + "return True"): "parts, and a checker may have 3,000",
}


@pytest.mark.parametrize(("source", "told"), KEPT_OUT.items())
def test_what_no_honest_checker_needs_is_kept_out_with_the_reason(source: str, told: str) -> None:
    with pytest.raises(Refused) as caught:
        examine(source)

    assert told in str(caught.value)


def test_every_allowed_module_has_an_honest_use() -> None:
    for module in MODULES:
        examine(f"import {module}\n" + check(f"return {module} is not response"))


def test_what_is_no_python_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxError):
        examine("def check_following(instruction, response)\n    return True\n")
