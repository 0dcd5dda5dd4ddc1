"""What all tests share: goldens, and skipping what this machine cannot do."""

import gc
import os
import shutil
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

from dsgec.engine.toolchain import Toolchain, compilers, find_toolchain
from tests.matrix.cell import build_wheel
from tests.support.clusters import start_cluster  # noqa: F401  (a fixture)
from tests.support.command_line import QUICK_OPTIONS, dsgec
from tests.support.fast import (
    build_extensions_as_usual,
    build_extensions_soon,
    emit_engines_once,
    fast_toolchain,
    find_goldens_once,
    use_compiler,
    wait_for_no_disk,
    write_fast_compiler,
)
from tests.support.processes import use_threads_for_processes

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite tests/golden from what is emitted now"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Nothing that is imported for the tests is ever garbage, so nobody looks for any there."""
    gc.disable()
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if session.config.args == session.config.getini("testpaths") and worker.endswith("1"):
        # pytest and Python keep what they make of a module. This worker begins with the last one,
        # so that it makes half of them and reads the others, as the one beside it does.
        for path in sorted(session.config.rootpath.glob("tests/*/test_*.py"), reverse=True):
            with suppress(Exception, pytest.skip.Exception):  # it is imported again, and reported
                import_module(f"tests.{path.parent.name}.{path.stem}")
    collected = yield
    gc.freeze()
    gc.enable()
    return collected


def pytest_collection_modifyitems(items):
    # What takes longest goes first, or it is all that is left to do at the end.
    items.sort(key=lambda item: not item.nodeid.startswith("tests/docs/test_blocks.py"))
    if shutil.which("cc") or shutil.which("gcc") or shutil.which("clang"):
        return
    for item in items:
        if item.get_closest_marker("needs_cc"):
            item.add_marker(pytest.mark.skip(reason="no C compiler"))


@pytest.fixture(autouse=True, scope="session")
def own_cache(request, tmp_path_factory):
    """Tests neither read nor fill the user's compile cache; those side by side share one."""
    session = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent
    os.environ["DSGEC_CACHE"] = str(session / "compiled")
    # Hundreds of processes start, each in half the time where Python keeps its bytecode.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(session / "bytecode"))
    # Nor is what they compile optimised; here, where the compilers are known, CC changes nothing.
    in_short = request.config.option.markexpr != "campaign"
    if in_short and compilers() and compilers()[0].tcc is None:
        os.environ["CC"] = str(write_fast_compiler(session, compilers()[0].command))


@pytest.fixture(autouse=True, scope="session")
def quick_engines(request):
    """Hundreds of engines are made, and most run for a moment; bits do not depend on a compiler.

    Those of the campaign run for long."""
    with pytest.MonkeyPatch.context() as patch:
        emit_engines_once(patch)
        find_goldens_once(patch)
        if request.config.option.markexpr != "campaign":
            use_compiler(patch, fast_toolchain)
            build_extensions_soon(patch)
            wait_for_no_disk(patch)
        yield


@pytest.fixture
def usual_extensions(monkeypatch):
    """Where it matters how users' extensions are compiled, and that this gives the same bytes."""
    build_extensions_as_usual(monkeypatch)


@pytest.fixture
def usual_compiler(monkeypatch):
    """For long runs, and where it matters what users' engines are compiled by, and how."""
    use_compiler(monkeypatch, find_toolchain)
    monkeypatch.delenv("CC", raising=False)


@pytest.fixture(scope="module")
def usual_compiler_of_the_module():
    with pytest.MonkeyPatch.context() as patch:
        use_compiler(patch, find_toolchain)
        patch.delenv("CC", raising=False)
        yield


@pytest.fixture
def quick_threads(monkeypatch):
    """For engines with threads, which the quickest compiler has none of: the usual one at -O0."""
    quick = os.environ.get("CC")  # see `own_cache`
    use_compiler(monkeypatch, (lambda: Toolchain(quick, "at -O0")) if quick else find_toolchain)


@pytest.fixture
def threads_for_processes(monkeypatch):
    """Where it does not matter who makes several runs: no process is started for them."""
    use_threads_for_processes(monkeypatch)


@pytest.fixture(scope="module")
def threads_for_processes_of_the_module():
    with pytest.MonkeyPatch.context() as patch:
        use_threads_for_processes(patch)
        yield


@pytest.fixture(autouse=True)
def subnormals():
    """A library that was linked for fast maths would switch them off in the whole process."""
    yield
    assert 5e-324 * float("1") != 0.0


@pytest.fixture
def golden(request):
    """Compare emitted text with a committed file that keeps its real extension."""
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
    """A finished run on the shipped table."""
    out = tmp_path_factory.mktemp("runs")
    dsgec("evolve", "multi_layer", "wdbc", *QUICK_OPTIONS, "--out", out)
    return out / "wdbc-multi_layer-seed1"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The package as users get it."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))
