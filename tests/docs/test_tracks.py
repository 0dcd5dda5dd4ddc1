"""Each kind of reader has a track: few pages in order, a picture early, and the next page named."""

import re

import pytest

from tests.support.pages import read_page

TRACKS = ("board", "notebook", "research")
INDEX = read_page("docs/index.md")


def menu(track):
    """The pages of a track, in the order of the menu."""
    block = re.search(rf":caption: {track.title()}\n\n(.*?)\n```", INDEX, re.DOTALL)
    return block[1].splitlines()


@pytest.mark.parametrize("track", TRACKS)
def test_a_track_has_at_most_seven_pages_in_one_folder(track):
    assert 1 < len(menu(track)) <= 7
    assert {page.partition("/")[0] for page in menu(track)} == {track}


@pytest.mark.parametrize("track", TRACKS)
def test_the_index_lists_a_track_in_the_order_of_the_menu(track):
    section = INDEX.split(f"## {track.title()}\n")[1].split("\n## ")[0]
    listed = re.findall(r"^\d\. \[[^\]]+\]\((.+?)\.md\)", section, re.MULTILINE)

    assert listed == menu(track)


@pytest.mark.parametrize("track", TRACKS)
def test_the_first_screen_leads_to_the_first_page(track):
    screen = INDEX.split("\n## ")[0]

    assert f"**[{track.title()}]({menu(track)[0]}.md)**" in screen


@pytest.mark.parametrize("track", TRACKS)
def test_the_first_page_begins_with_a_picture(track):
    beginning = read_page(f"docs/{menu(track)[0]}.md").split("\n## ")[0]

    assert re.search(r"^!\[.+\]\(.+\.(svg|png)\)$", beginning, re.MULTILINE)


@pytest.mark.parametrize("track", TRACKS)
def test_each_page_names_the_next_one(track):
    pages = menu(track)
    for page, after in zip(pages, [*pages[1:], None], strict=True):
        last = read_page(f"docs/{page}.md").rstrip().split("\n\n")[-1]
        if after:
            assert re.match(rf"\*\*Next:\*\* \[.+\]\({after.partition('/')[2]}\.md\)", last)
        else:
            assert last.startswith(f"**Next:** this is the end of the {track} track.")


def test_the_terms_of_the_glossary_are_in_order_and_said_once():
    terms = re.findall(r"^\| \*\*(.+?)\*\* \|", read_page("docs/glossary.md"), re.MULTILINE)

    assert len(terms) >= 20
    assert terms == sorted(set(terms))
