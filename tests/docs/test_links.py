"""Links in the documentation lead somewhere, and every page is reached from the index."""

import re

import pytest

from tests.support.pages import PAGES, ROOT, read_page

LINK = re.compile(r"\]\(([^()\s]+)\)")
WRITTEN = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
"""Code, in which nothing is a link."""
FILES = [*PAGES, "CHANGELOG.md"]


def links(name):
    """Return the links of a page as paths from the root of the project and anchors."""
    for target in LINK.findall(WRITTEN.sub("", read_page(name))):
        if not re.match(r"https?:", target):
            path, _, anchor = target.partition("#")
            found = (ROOT / name).parent.joinpath(path).resolve() if path else ROOT / name
            yield found.relative_to(ROOT).as_posix(), anchor


def anchors(name):
    """The anchors of a page's headings, as they are made for Markdown."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"(?s)```.*?```", "", read_page(name)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", FILES)
def test_every_link_leads_somewhere(name):
    for path, anchor in links(name):
        assert (ROOT / path).exists(), f"{name} links to {path}"
        assert not anchor or anchor in anchors(path), f"{name} links to {path}#{anchor}"


@pytest.mark.parametrize("start", ["README.md", "docs/index.md"])
def test_every_page_is_reached(start):
    reached, ahead = set(), [start]
    while ahead:
        name = ahead.pop()
        if name in reached:
            continue
        reached.add(name)
        if name.endswith(".md"):
            ahead += [path for path, _ in links(name)]
    pages = {page for page in PAGES if page.startswith("docs/")}

    assert pages <= reached


def test_the_index_has_every_page_in_its_menu():
    menu = re.findall(r"```\{toctree\}\n(.*?)```", read_page("docs/index.md"), re.DOTALL)
    listed = {line for block in menu for line in block.splitlines() if line and line[0] != ":"}
    pages = {page[len("docs/") : -len(".md")] for page in PAGES if page.startswith("docs/")}

    assert listed == pages - {"index"} | {"research/paper/tables"}
