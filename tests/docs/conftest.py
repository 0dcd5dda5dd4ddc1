"""What the tests of the documentation share."""

import shutil

import pytest

from dsgec.engine.toolchain import find_toolchain
from tests.support.command_line import dsgec
from tests.support.fast import use_compiler
from tests.support.pages import FIRST_RUN


@pytest.fixture(scope="session")
def first_run(tmp_path_factory):
    """A folder with the run that pages speak of, which is made on the first of them."""
    folder = tmp_path_factory.mktemp("first")
    with pytest.MonkeyPatch.context() as patch:
        use_compiler(patch, find_toolchain)
        dsgec(*FIRST_RUN.split()[1:], cwd=folder)
    return folder


@pytest.fixture
def desk(first_run, tmp_path):
    """A folder of one's own, with that run."""
    return shutil.copytree(first_run, tmp_path / "desk")
