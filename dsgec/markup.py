"""The Jinja2 environment for pictures and pages: everything is escaped."""

import re
from functools import cache
from typing import Any

import jinja2

from dsgec.rendering import compile_template, load_template

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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


def compile_markup(template: str) -> None:
    """Compile a template for pictures and pages, as the first use of it would."""
    compile_template(_environment(), template)


def render_markup(template: str, **view: object) -> str:
    """The SVG or HTML that a template prints of a view."""
    return _environment().get_template(template).render(**view)


def _legal(value: Any) -> Any:
    """Characters that XML cannot hold, not even escaped, are replaced."""
    if not isinstance(value, str) or not _ILLEGAL.search(value):
        return value
    return type(value)(_ILLEGAL.sub("\ufffd", value))
