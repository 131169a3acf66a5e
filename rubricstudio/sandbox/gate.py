"""The gate: a look at the syntax of a checker before it may run.

The walls hold without it. It keeps out early, with a sentence that a model or a person can act on,
what no honest checker needs: other modules, files, introspection, classes, loops without an end. It
is a list of what is allowed, so that new syntax stays out until somebody thinks of it.

Reading hostile source can itself take down an interpreter, so callers run this in the jail
(``Jail.check`` does); only the names of the modules are for everyone.
"""

import ast
import re
from collections.abc import Iterator

from rubricstudio.sandbox import limits

FUNCTION, PARAMETERS = "check_following", 2

MODULES = {
    "collections": ("Counter", "OrderedDict", "defaultdict", "deque", "namedtuple"),
    "itertools": (),
    "json": ("JSONDecodeError", "dumps", "loads"),
    "math": (),
    "re": (),
    "string": (),
    "unicodedata": (),
}
"""What a checker may import; the names of a module it may use, or all public ones if empty."""

# Modules that allowed modules hold under a public name, and what is more than a checker needs.
HIDDEN_NAMES = frozenset({"enum", "functools", "copyreg", "Formatter", "template", "DEBUG"})

FORBIDDEN_NAMES = frozenset(
    (
        "BaseException",
        "GeneratorExit",
        "KeyboardInterrupt",
        "SystemExit",
        "breakpoint",
        "compile",
        "copyright",
        "credits",
        "delattr",
        "dir",
        "eval",
        "exec",
        "exit",
        "getattr",
        "globals",
        "hasattr",
        "help",
        "id",
        "input",
        "license",
        "locals",
        "memoryview",
        "object",
        "open",
        "quit",
        "setattr",
        "super",
        "type",
        "vars",
    )
)
FORBIDDEN_ATTRIBUTES = frozenset(
    (
        "ag_code",
        "ag_frame",
        "cr_code",
        "cr_frame",
        "f_back",
        "f_builtins",
        "f_code",
        "f_globals",
        "f_locals",
        "format_map",
        "func_globals",
        "gi_code",
        "gi_frame",
        "gi_yieldfrom",
        "mro",
        "tb_frame",
        "tb_next",
        "with_traceback",
    )
)
DUNDER = re.compile(r"__[A-Za-z]\w*__")
MOST_NODES = 3_000

_STATEMENTS = (
    ast.Module,
    ast.FunctionDef,
    ast.Return,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Delete,
    ast.For,
    ast.While,
    ast.If,
    ast.Raise,
    ast.Try,
    ast.Assert,
    ast.Import,
    ast.ImportFrom,
    ast.Expr,
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.Nonlocal,
    ast.Match,
    ast.match_case,
    ast.pattern,
    ast.ExceptHandler,
)
_EXPRESSIONS = (
    ast.BoolOp,
    ast.NamedExpr,
    ast.BinOp,
    ast.UnaryOp,
    ast.Lambda,
    ast.IfExp,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Compare,
    ast.Call,
    ast.FormattedValue,
    ast.JoinedStr,
    ast.Constant,
    ast.Attribute,
    ast.Subscript,
    ast.Starred,
    ast.Name,
    ast.List,
    ast.Tuple,
    ast.Slice,
)
_PARTS = (
    ast.expr_context,
    ast.boolop,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.comprehension,
    ast.arguments,
    ast.arg,
    ast.keyword,
    ast.alias,
)
ALLOWED = _STATEMENTS + _EXPRESSIONS + _PARTS
_TOP_LEVEL = (ast.FunctionDef, ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)


class Refused(ValueError):
    """The gate keeps a source out; the message says which line, what, and what to do."""


def examine(source: str) -> None:
    """Let a source pass, or raise :class:`Refused`; raises SyntaxError where it is not Python."""
    if len(source) > limits.LONGEST_SOURCE:
        raise Refused(
            f"the source has {len(source):,} characters, and a checker may have "
            f"{limits.LONGEST_SOURCE:,}"
        )
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    if len(nodes) > MOST_NODES:
        raise Refused(f"the source has {len(nodes):,} parts, and a checker may have {MOST_NODES:,}")
    modules = _imported(nodes)
    for node in nodes:
        problem = _problem(node, modules)
        if problem is not None:
            raise Refused(f"line {getattr(node, 'lineno', 1)}: {problem}")
    _look_at_top_level(tree)


def _imported(nodes: list[ast.AST]) -> dict[str, str]:
    """The names that stand for modules, with the module of each."""
    return {
        alias.asname or alias.name: alias.name
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
    }


def _problem(node: ast.AST, modules: dict[str, str]) -> str | None:
    if not isinstance(node, ALLOWED):
        return f"{type(node).__name__} is not allowed in a checker"
    for name in _identifiers(node):
        if name in FORBIDDEN_NAMES or name.startswith("__"):
            return f"the name {name[:40]} is not allowed in a checker"
    return _look_closer(node, modules)


def _look_closer(node: ast.AST, modules: dict[str, str]) -> str | None:
    """What one kind of part must not be, where there is more to say than its kind and names."""
    match node:
        case ast.Import() | ast.ImportFrom():
            return _look_at_import(node)
        case ast.Attribute():
            return _look_at_attribute(node, modules)
        case ast.FunctionDef() if node.decorator_list:
            return "decorators are not allowed in a checker"
        case ast.ExceptHandler() if node.type is None:
            return "a bare except is not allowed; name the exception"
        case ast.Constant() if isinstance(node.value, str) and DUNDER.search(node.value):
            return "a text that names a special attribute is not allowed in a checker"
        case ast.While() if _is_endless(node):
            return "this loop has no end: give it a condition or a break"
    return None


def _identifiers(node: ast.AST) -> Iterator[str]:
    for field in ("id", "name", "arg", "rest", "asname"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            yield value
    yield from (one for one in getattr(node, "names", ()) if isinstance(one, str))


def _look_at_import(node: ast.Import | ast.ImportFrom) -> str | None:
    if isinstance(node, ast.Import):
        unknown = (alias.name for alias in node.names if alias.name not in MODULES)
        return next(map(_no_module, unknown), None)
    if node.level or node.module not in MODULES:
        return _no_module(node.module or ".")
    for alias in node.names:
        if not _public(node.module, alias.name):
            return f"{node.module}.{alias.name} is not allowed in a checker"
    return None


def _no_module(name: str) -> str:
    return f"the module {name[:40]} cannot be imported; allowed are {', '.join(MODULES)}"


def _public(module: str, name: str) -> bool:
    only = MODULES[module]
    return (
        not name.startswith(("_", "*")) and name not in HIDDEN_NAMES and (not only or name in only)
    )


def _look_at_attribute(node: ast.Attribute, modules: dict[str, str]) -> str | None:
    if node.attr.startswith("_") or node.attr in FORBIDDEN_ATTRIBUTES:
        return f"the attribute {node.attr[:40]} is not allowed in a checker"
    if isinstance(node.value, ast.Name) and node.value.id in modules:
        module = modules[node.value.id]
        if not isinstance(node.ctx, ast.Load):
            return f"a checker must not change the module {module}"
        if module in MODULES and not _public(module, node.attr):
            return f"{module}.{node.attr[:40]} is not allowed in a checker"
    elif not isinstance(node.ctx, ast.Load):
        return "a checker must not set attributes"
    return None


def _is_endless(loop: ast.While) -> bool:
    """Whether its condition is always true and nothing in it leads out."""
    always = isinstance(loop.test, ast.Constant) and bool(loop.test.value)
    ways_out = (ast.Break, ast.Return, ast.Raise)
    return always and not any(isinstance(one, ways_out) for one in ast.walk(loop))


def _look_at_top_level(tree: ast.Module) -> None:
    for statement in tree.body:
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not text and not isinstance(statement, _TOP_LEVEL):
            raise Refused(
                f"line {statement.lineno}: outside functions only imports and assignments are "
                "allowed in a checker"
            )
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
    wanted = [one for one in functions if one.name == FUNCTION]
    if len(wanted) != 1 or not _takes_two(wanted[0].args):
        raise Refused(f"a checker defines one function {FUNCTION}(instruction, response)")


def _takes_two(arguments: ast.arguments) -> bool:
    return len(arguments.posonlyargs + arguments.args) == PARAMETERS and not arguments.kwonlyargs
