"""Sphinx: the pages of this folder to HTML. `make docs` builds them; nothing is fetched."""

import dsgec

project = "dsgec"
author = "the dsgec authors"
project_copyright = "2026, the dsgec authors"
version = release = dsgec.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]

myst_heading_anchors = 3
highlight_language = "none"  # of a block that does not say
smartquotes = False  # `--option` keeps its two dashes

default_role = "code"  # docstrings have `names` in single backticks
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 80  # beyond, a parameter a line

html_theme = "furo"
html_title = "dsgec"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_copy_source = False
html_show_sphinx = False


def add_title(app, name, source):
    """Give the tables that a study wrote the title that every page needs."""
    if name == "research/paper/tables":
        source[0] = f"# Tables of the paper's study\n\n{source[0]}"
    if name == "research/related/tables":
        source[0] = f"# Tables of the study of related work\n\n{source[0]}"


def setup(app):
    app.connect("source-read", add_title)
