"""Fixtures and hooks of all tests."""

import gc
import os
import shutil
from pathlib import Path

import pytest

from tests.matrix.cell import build_wheel
from tests.support.clusters import start_cluster  # noqa: F401  (a fixture)
from tests.support.command_line import QUICK_OPTIONS, dsgec
from tests.support.compilers import (
    cache_engine_sources,
    cache_self_test_rows,
    use_fast_compiler,
)
from tests.support.processes import use_threads_for_processes

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite tests/golden from what is emitted now"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without garbage collection: the modules that are imported are never garbage."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    return collected


def pytest_collection_modifyitems(items):
    # The longest tests start first; at the end they would keep one worker busy alone.
    items.sort(key=lambda item: not item.nodeid.startswith("tests/docs/test_blocks.py"))
    if shutil.which("cc") or shutil.which("gcc") or shutil.which("clang"):
        return
    for item in items:
        if item.get_closest_marker("needs_cc"):
            item.add_marker(pytest.mark.skip(reason="no C compiler"))


@pytest.fixture(autouse=True, scope="session")
def session_cache(tmp_path_factory):
    """Keep compiled engines and bytecode in a folder of this session, which its workers share."""
    session = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent
    os.environ["DSGEC_CACHE"] = str(session / "compiled")
    # The tests start hundreds of processes, which takes half the time with cached bytecode.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(session / "bytecode"))


@pytest.fixture(autouse=True, scope="session")
def cached_functions():
    """Cache two slow functions whose results depend only on their arguments."""
    with pytest.MonkeyPatch.context() as patch:
        cache_engine_sources(patch)
        cache_self_test_rows(patch)
        yield


@pytest.fixture(autouse=True, scope="session")
def no_fsync(request):
    """Do not wait for the disk, except in the campaign: no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        if request.config.option.markexpr != "campaign":
            patch.setattr("os.fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="module")
def fast_compiler(request):
    """Compile engines without optimisation, for modules that build many and run each briefly.

    Modules that do not use this compile as a user does, and so does the campaign, whose runs are
    long.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.config.option.markexpr != "campaign":
            use_fast_compiler(patch)
        yield


@pytest.fixture
def threads_for_processes(monkeypatch):
    """Make the calls of worker processes in threads, which start faster."""
    use_threads_for_processes(monkeypatch)


@pytest.fixture(scope="module")
def threads_for_processes_of_the_module():
    """Make the calls of worker processes in threads, also in fixtures of the module."""
    with pytest.MonkeyPatch.context() as patch:
        use_threads_for_processes(patch)
        yield


@pytest.fixture(autouse=True)
def subnormals():
    """Check that no library has switched off subnormal numbers, as fast maths would."""
    yield
    assert 5e-324 * float("1") != 0.0


@pytest.fixture
def golden(request):
    """Return a function that compares emitted text with a committed file, or updates the file."""
    update = request.config.getoption("--update-golden")
    if update and os.environ.get("CI"):
        pytest.fail("goldens are accepted by a person, not by CI")

    def check(name, actual):
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual, encoding="utf-8", newline="\n")
        assert path.exists(), f"{path} is missing: look at it, then run pytest --update-golden"
        assert path.read_text(encoding="utf-8") == actual

    return check


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """Return the folder of a finished run on a shipped table."""
    out = tmp_path_factory.mktemp("runs")
    dsgec("evolve", "multi_layer", "wdbc", *QUICK_OPTIONS, "--out", out)
    return out / "wdbc-multi_layer-seed1"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Return the wheel of the package."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))
