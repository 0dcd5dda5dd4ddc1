"""The Jinja2 environment for code: nothing is printed that did not come through an escape.

Whatever reaches `{{ … }}` must be `Code`, which only the filters here make. So a column's name or
a label can get into generated source as an escaped string, or through a filter that leaves a safe
subset of it: `note` for comments, and `ident` for what `dsgec.export.names` made of it.
"""

import re
from functools import cache

import jinja2

from dsgec.literals import (
    c_characters,
    c_numbers,
    c_rows,
    c_string,
    comment_text,
    dot_string,
    go_string,
    java_string,
    js_data,
    js_number,
    number,
    python_data,
    python_string,
    raw_json,
    rust_string,
)
from dsgec.resources import template

_USED = re.compile(r'{%-? (?:include|from|import) "([^"]+)"')
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Code(str):
    """Source text that is ours, or that was escaped."""

    __slots__ = ()


class UnsafeTemplate(Exception):
    """A template printed a value that no filter made safe: a bug of ours."""


def ident(name: str) -> Code:
    """A name that is legal as an identifier in C and in Python."""
    if not _IDENTIFIER.fullmatch(name):
        raise UnsafeTemplate(f"not an identifier: {name!r}")
    return Code(name)


def block(text: str) -> Code:
    """Source text made by us: an expression, or the text of one of our own files."""
    if not isinstance(text, Code):
        raise UnsafeTemplate(f"not marked as code: {text[:60]!r}")
    return text


def _guard(value: object) -> object:
    if not isinstance(value, Code):
        raise UnsafeTemplate(f"printed without a filter: {value!r:.60}")
    return value


def load_template(name: str) -> str | None:
    """The text of one of our templates."""
    path = template(name)
    return path.read_text(encoding="utf-8") if path.is_file() else None


@cache
def environment() -> jinja2.Environment:
    """The one environment; templates are ours and trusted."""
    # This is no HTML; `finalize` is stricter than autoescape.
    env = jinja2.Environment(  # noqa: S701
        loader=jinja2.FunctionLoader(load_template),
        undefined=jinja2.StrictUndefined,
        finalize=_guard,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters = {
        "ident": ident,
        "block": block,
        "length": len,
        "num": lambda value: Code(number(value)),
        "nums": lambda values: Code(c_numbers(values)),
        "rows": lambda rows: Code(c_rows(rows)),
        "cstr": lambda value: Code(c_string(value)),
        "note": lambda value: Code(comment_text(value)),
        "cchars": lambda value, width: Code(c_characters(value, width)),
        "pydata": lambda value: Code(python_data(value)),
        "pystr": lambda value: Code(python_string(value)),
        "jsnum": lambda value: Code(js_number(value)),
        "dot": lambda value: Code(dot_string(value)),
        "js": lambda value: Code(js_data(value)),
        "rust": lambda value: Code(rust_string(value)),
        "java": lambda value: Code(java_string(value)),
        "go": lambda value: Code(go_string(value)),
        "rawjson": lambda value: Code(raw_json(value)),
    }
    return env


def compile_template(environment: jinja2.Environment, template: str) -> None:
    """Compile a template and those that it includes, as the first use of them would."""
    environment.get_template(template)
    for name in _USED.findall(load_template(template) or ""):
        compile_template(environment, name)


def render(template: str, **view: object) -> str:
    """The text that a template prints of a view."""
    return environment().get_template(template).render(**view)
