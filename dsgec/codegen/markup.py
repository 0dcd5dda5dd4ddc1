"""The Jinja2 environment for pictures and pages: everything is escaped."""

from functools import cache
from typing import Any

import jinja2

from dsgec.codegen.environment import load_template


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(load_template),
        undefined=jinja2.StrictUndefined,
        finalize=_legal,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render_markup(template: str, **view: object) -> str:
    """The SVG or HTML that a template prints of a view."""
    return _environment().get_template(template).render(**view)


def _legal(value: Any) -> Any:
    """Characters that XML cannot hold, not even escaped, are replaced."""
    if not isinstance(value, str):
        return value
    return type(value)("".join(c if _is_legal(ord(c)) else "�" for c in value))


def _is_legal(code: int) -> bool:
    return (
        code in (0x9, 0xA, 0xD)
        or 0x20 <= code < 0xD800
        or 0xE000 <= code <= 0xFFFD
        or code > 0xFFFF
    )
