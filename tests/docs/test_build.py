"""`make docs` builds the pages without a warning, and they load nothing from elsewhere."""

import re
import subprocess
import sys

import pytest

from tests.support.pages import PAGES, ROOT

LOADED = re.compile(r"""(?:src=|<link[^>]* href=|url\()["']?(?:https?:)?//""")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    pytest.importorskip("furo", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning"]
    answer = subprocess.run(
        [*command, "--keep-going", "--quiet", str(ROOT / "docs"), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return folder


@pytest.mark.campaign
def test_every_page_is_built(built):
    for page in PAGES:
        if page.startswith("docs/"):
            assert (built / page[len("docs/") :]).with_suffix(".html").exists()


@pytest.mark.campaign
def test_nothing_is_loaded_from_elsewhere(built):
    for file in built.rglob("*"):
        if file.suffix in (".html", ".css"):
            assert not LOADED.search(file.read_text(encoding="utf-8")), file


@pytest.mark.campaign
def test_the_reference_has_the_docstrings(built):
    import dsgec

    page = (built / "reference/api.html").read_text(encoding="utf-8")
    for name in dsgec.__all__:
        assert f'id="dsgec.{name}"' in page
