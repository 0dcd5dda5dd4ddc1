"""Fixtures of the tests of the documentation."""

import shutil

import pytest

from tests.support.command_line import dsgec
from tests.support.pages import FIRST_RUN


@pytest.fixture(scope="session")
def first_run(tmp_path_factory):
    """Return a folder with the run that the pages describe."""
    folder = tmp_path_factory.mktemp("first")
    dsgec(*FIRST_RUN.split()[1:], cwd=folder)
    return folder


@pytest.fixture
def desk(first_run, tmp_path):
    """Return a folder of the test's own, with that run."""
    return shutil.copytree(first_run, tmp_path / "desk")
