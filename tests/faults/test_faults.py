"""Every system call of a command may fail, or be its last: the next start leaves the same bytes."""

import sys

import pytest

from tests.support.faults.sweep import KINDS, Server, commands

pytestmark = [
    pytest.mark.needs_cc,
    pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD and /proc are Linux's"),
]

NAMES = (
    *("evolve", "evolve with the engine", "evolve --overwrite", "evolve --max-seconds", "resume"),
    *("export", "export -o", "report", "report -o", "study", "report of a study"),
)
WITHOUT_MANIFEST = ("export -o", "report -o", "study", "report of a study")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


def sweep(server, folder, name, kinds=KINDS, first=1, every=1):
    """Return the number of points tried, by kind, and of different folders they left."""
    root = folder / "root"
    run, known = commands(root)
    before, command, again = known[name]
    answer = server.sweep(
        root=str(root),
        folder=str(run),
        before=before,
        command=command,
        again=again,
        verify=name not in WITHOUT_MANIFEST,
        kinds=kinds,
        first=first,
        every=every,
    )
    assert not answer["problems"], "\n".join(answer["problems"])
    return answer["counts"], answer["states"]


@pytest.mark.parametrize("name", ["evolve", pytest.param("report", marks=pytest.mark.campaign)])
def test_a_command_whose_system_call_fails_can_be_repeated(name, server, tmp_path):
    first = 16 if name == "evolve" else 1  # of `evolve`, the page: it comes after the record
    counts, _ = sweep(server, tmp_path, name, ("half", "fsync", "rename", "kill"), first, every=240)
    assert all(counts.values()) and len(counts) == 4, counts


@pytest.mark.campaign
@pytest.mark.parametrize("name", NAMES)
def test_every_system_call_may_fail_or_be_the_last(name, server, tmp_path, capsys):
    counts, states = sweep(server, tmp_path, name)
    with capsys.disabled():
        each = ", ".join(f"{kind} {count}" for kind, count in counts.items())
        print(f"\n{name}: {sum(counts.values())} points ({each}), {states} folders left")
    assert {"open", "write", "half", "fsync", "rename", "kill"} <= counts.keys()
