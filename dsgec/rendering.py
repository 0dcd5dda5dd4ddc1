"""The Jinja2 environments: one for code, where every value must be escaped, and one for markup.

Whatever a template of code prints must be `Code`, which only the filters here make. So the name of
a column or a label gets into generated source as an escaped string, or through a filter that keeps
a safe subset of it: `note` for comments, and `ident` for what `dsgec.export.names` made of it.
Templates of markup (SVG and HTML) escape everything.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import jinja2

from dsgec import literals
from dsgec.resources import template as template_file

_USED = re.compile(r'{%-? (?:include|from|import) "([^"]+)"')
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML
_LITERALS: dict[str, Callable[..., str]] = {
    "num": literals.number,
    "nums": literals.c_numbers,
    "rows": literals.c_rows,
    "cstr": literals.c_string,
    "note": literals.comment_text,
    "cchars": literals.c_characters,
    "pydata": literals.python_data,
    "pystr": literals.python_string,
    "jsnum": literals.js_number,
    "dot": literals.dot_string,
    "js": literals.js_data,
    "rust": literals.rust_string,
    "java": literals.java_string,
    "go": literals.go_string,
    "rawjson": literals.raw_json,
}


class Code(str):
    """Source text that is ours, or that was escaped."""

    __slots__ = ()


class UnsafeTemplate(Exception):
    """A template printed a value that no filter made safe: a bug in dsgec."""


def render(template: str, **view: object) -> str:
    """Return the source text that a template prints for a view."""
    return code_environment().get_template(template).render(**view)


def render_markup(template: str, **view: object) -> str:
    """Return the SVG or HTML that a template prints for a view."""
    return markup_environment().get_template(template).render(**view)


def load_template(name: str) -> str | None:
    """Return the text of one of our templates, or None if there is none of this name."""
    path = template_file(name)
    return path.read_text(encoding="utf-8") if path.is_file() else None


def compile_template(environment: jinja2.Environment, template: str) -> None:
    """Compile a template and those that it includes, as their first use would."""
    environment.get_template(template)
    for name in _USED.findall(load_template(template) or ""):
        compile_template(environment, name)


@cache
def code_environment() -> jinja2.Environment:
    """Return the environment of code; templates are ours and trusted."""
    # There is no HTML here; `_require_code` is stricter than autoescape.
    environment = _environment(_require_code, autoescape=False)
    environment.filters = {"ident": _identifier, "block": _code, "length": len}
    environment.filters |= {name: _filter(write) for name, write in _LITERALS.items()}
    return environment


@cache
def markup_environment() -> jinja2.Environment:
    """Return the environment of SVG and HTML, which escapes everything."""
    return _environment(_replace_illegal, autoescape=True)


def _environment(finalize: Callable[[Any], Any], *, autoescape: bool) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(load_template),
        undefined=jinja2.StrictUndefined,
        finalize=finalize,
        autoescape=autoescape,  # noqa: S701  (see `code_environment`)
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _filter(write: Callable[..., str]) -> Callable[..., Code]:
    return lambda *arguments: Code(write(*arguments))


def _identifier(name: str) -> Code:
    """Return a name that is a legal identifier in C and in Python."""
    if not _IDENTIFIER.fullmatch(name):
        raise UnsafeTemplate(f"not an identifier: {name!r}")
    return Code(name)


def _code(text: str) -> Code:
    """Return source text that we made: an expression, or the text of one of our own files."""
    if not isinstance(text, Code):
        raise UnsafeTemplate(f"not marked as code: {text[:60]!r}")
    return text


def _require_code(value: object) -> object:
    if not isinstance(value, Code):
        raise UnsafeTemplate(f"printed without a filter: {value!r:.60}")
    return value


def _replace_illegal(value: Any) -> Any:
    """Replace characters that XML cannot hold, not even escaped."""
    if not isinstance(value, str) or not _ILLEGAL.search(value):
        return value
    return type(value)(_ILLEGAL.sub("\ufffd", value))
