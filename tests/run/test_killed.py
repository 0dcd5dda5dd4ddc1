"""Commands that are killed, interrupted or out of room go on as if nothing had happened."""

import os
import random
import resource
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest

from dsgec.run.checkpoint import NAME
from tests.support.command_line import COMMAND, dsgec, read_json, restore_signals
from tests.support.compilers import use_fast_compiler
from tests.support.runs import RUN, begun, checkpoint_of, made


def test_the_command_goes_on_from_anywhere_with_its_table_read_again(tmp_path):
    grammar, table, test = (tmp_path / name for name in ("g.bnf", "t.csv", "test.csv"))
    grammar.write_text("<s> ::= <s> + <s> | x_1 | x_2 | 0.5 * x_1\n%output sigmoid\n")
    rng = random.Random(1)
    for file, rows in ((table, 60), (test, 20)):
        lines = [f"{rng.random():.3f};{rng.choice('ab')};{rng.choice('yn')}" for _ in range(rows)]
        file.write_text("\n".join(["u;v;w", *lines]))
    asked = ["evolve", "g.bnf", "t.csv", "--test", "test.csv", "--generations", "40", "--quiet"]
    options = ["--backend", "reference", "--population", "8", "--scale", "standard"]
    dsgec(*asked, *options, "--out", "whole", cwd=tmp_path)
    dsgec(*asked, *options, "--out", "cut", "--max-seconds", "0", cwd=tmp_path)
    folder = tmp_path / "cut" / "t-g-seed1"
    (elsewhere := tmp_path / "elsewhere").mkdir()
    briefly = ["--max-seconds", "0", "--backend", "reference"]
    answer = dsgec("resume", folder, *briefly, cwd=elsewhere)
    assert "its time was over after generation 1 of 40" in answer.stderr
    assert f"dsgec resume {folder}" in answer.stderr
    content = table.read_text()
    table.write_text(content.replace("0.", "1."))
    assert "t.csv has changed" in dsgec("resume", folder, cwd=elsewhere, code=1).stderr
    table.write_text(content)
    dsgec("resume", folder, "--quiet", "--backend", "numpy", cwd=elsewhere)
    assert made(folder) == made(tmp_path / "whole" / "t-g-seed1")
    assert "has ended" in dsgec("resume", folder, cwd=elsewhere, code=1).stderr


def test_a_table_from_standard_input_is_asked_for_again(tmp_path):
    table = "u,v\n" + "".join(f"{i},{i % 2}\n" for i in range(40))
    grammar = tmp_path / "g.bnf"
    grammar.write_text("<s> ::= <s> + <s> | x_1 | 0.5 * x_1\n%output sigmoid\n")
    asked = ["evolve", grammar, "-", "--generations", "5", "--backend", "reference"]
    asked += ["--population", "8", "--pruning", "1", "--tuning", "2", "--out", tmp_path]
    dsgec(*asked, "--max-seconds", "0", input=table)
    (folder,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    answer = dsgec("resume", folder, code=1)
    assert "where its table is" in answer.stderr
    assert "that resumes it" in answer.stderr
    dsgec(*asked, input=table)
    assert read_json(folder, "run.json")["result"]["ended"] == "generations"


def test_a_finished_run_is_not_run_again_unless_asked(tmp_path):
    asked = ["evolve", "one_layer", "wdbc", "--generations", "3", "--out", tmp_path]
    asked += ["--population", "8", "--preset", "paper", "--backend", "reference"]
    first = dsgec(*asked)
    again = dsgec(*asked)
    assert "has this run already" in again.stderr
    assert again.stdout == first.stdout
    before = (tmp_path / RUN / "timing.json").stat().st_mtime_ns
    assert "generation 3/3" in dsgec(*asked, "--overwrite").stderr
    assert (tmp_path / RUN / "timing.json").stat().st_mtime_ns > before


LONG = ["evolve", "one_layer", "wdbc", "--pruning", "2", "--tuning", "6"]
LONG += ["--population", "40", "--generations"]


@pytest.fixture(scope="module")
def long(request):
    """A run of about a second; those of the campaign have an engine that is optimised."""
    return [*LONG, "600" if request.config.option.markexpr == "campaign" else "60"]


@pytest.fixture(scope="module")
def long_whole(long, tmp_path_factory):
    out = tmp_path_factory.mktemp("long")
    dsgec(*long, "--out", out, "--quiet")
    return made(out / RUN)


def start(long, out):
    command = [*COMMAND, *long, "--out", str(out), "--save-every", "0", "--quiet"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=restore_signals)


def wait_for(path, seconds=60.0):
    """A process is at work: polled for, as how fast it is differs."""
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def end_by(signals, long, out):
    """The exit code, and what was said, of a run that got these signals after its first save."""
    with start(long, out) as process:
        wait_for(out / RUN / NAME)
        for number in signals:
            process.send_signal(number)
        _, errors = process.communicate()
    assert "Traceback" not in errors
    return process.returncode, errors


def kill_and_go_on(long, out, rng, kills):
    """Kills a run at random moments until it has ended, at most so many times."""
    done = 0
    while done < kills:
        with start(long, out) as process:
            if rng.random() < 0.8:  # most of the time of a short run is Python's own start
                while process.poll() is None and not (out / RUN / NAME).exists():
                    time.sleep(0.01)
            time.sleep(rng.uniform(0.0, 0.4))
            process.send_signal(signal.SIGKILL)
            process.communicate()
        if process.returncode == 0:
            break
        done += 1
    if begun(out / RUN):
        dsgec("resume", out / RUN, "--quiet")
    else:
        dsgec(*long, "--out", out, "--quiet")
    return done


@pytest.mark.needs_cc
def test_killed_runs_end_with_the_same_bytes(tmp_path, long, long_whole):
    rng = random.Random(11)
    kills, number = 0, 0
    while not kills:  # it may have ended before
        kills += kill_and_go_on(long, tmp_path / str(number), rng, 1)
        assert made(tmp_path / str(number) / RUN) == long_whole
        number += 1


@pytest.mark.campaign
@pytest.mark.needs_cc
def test_two_hundred_killed_runs_end_with_the_same_bytes(tmp_path, long, long_whole):
    rng = random.Random(12)
    kills = 0
    for number in range(200):
        kills += kill_and_go_on(long, tmp_path / str(number), rng, rng.randint(1, 4))
        assert made(tmp_path / str(number) / RUN) == long_whole
    assert kills > 250


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.needs_cc
def test_killed_walks_end_with_the_same_bytes(tmp_path):
    walk = ["evolve", "shared", "wdbc", "--walk", "600", "--tuning", "6", "--name", RUN]
    dsgec(*walk, "--out", tmp_path / "whole", "--quiet")
    whole = made(tmp_path / "whole" / RUN)
    rng = random.Random(13)
    kills = 0
    for number in range(6):
        kills += kill_and_go_on(walk, tmp_path / str(number), rng, rng.randint(1, 4))
        assert made(tmp_path / str(number) / RUN) == whole
    assert kills > 6


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, 130),
        pytest.param(signal.SIGTERM, 143, marks=pytest.mark.campaign),
        pytest.param(signal.SIGHUP, 129, marks=pytest.mark.campaign),
    ],
)
def test_a_signal_ends_a_run_in_good_order(tmp_path, long, long_whole, number, code):
    returned, errors = end_by([number, number], long, tmp_path)  # together they count as one
    assert returned == code
    assert "interrupted after generation" in errors
    assert "dsgec resume" in errors
    record = read_json(tmp_path / RUN, "run.json")
    assert record["result"]["ended"] == "interrupted"
    assert (tmp_path / RUN / "wdbc.c").exists()
    dsgec("resume", tmp_path / RUN, "--quiet")
    assert made(tmp_path / RUN) == long_whole


@pytest.mark.campaign
def test_a_second_interrupt_ends_it_at_once_and_nothing_saved_is_lost(tmp_path):
    asked = ["evolve", "one_layer", "wdbc", "--population", "1500", "--generations", "100000"]
    options = ["--backend", "reference", "--save-every", "0", "--islands", "2"]
    command = [*COMMAND, *asked, *options, "--out", str(tmp_path)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=restore_signals
    ) as process:
        wait_for(tmp_path / RUN / NAME)
        process.send_signal(signal.SIGINT)  # in the midst of a generation that takes seconds
        time.sleep(0.8)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    if not (tmp_path / RUN / "run.json").exists():  # or the generation was over before the second
        assert checkpoint_of(tmp_path / RUN).history


@contextmanager
def limited(size):
    """No file of more than so many bytes, as on a disk that is nearly full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # an error instead of a signal
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.needs_cc
def test_no_room_for_a_checkpoint_is_reported_and_the_run_continues(tmp_path, monkeypatch):
    use_fast_compiler(monkeypatch)  # its engine is slow, so that the run lasts for a checkpoint
    # A run of the paper's remembers its texts, so that its checkpoints are its largest files.
    wide = [*LONG, "300", "--preset", "paper"]
    dsgec(*wide, "--out", tmp_path / "whole", "--quiet")
    with limited(200_000):
        answer = dsgec(*wide, "--out", tmp_path, "--save-every", "0")
    assert "warning: cannot write" in answer.stderr
    assert "the run continues" in answer.stderr
    assert made(tmp_path / RUN) == made(tmp_path / "whole" / RUN)


@pytest.mark.campaign
@pytest.mark.needs_cc
def test_a_disk_that_fills_up(tmp_path, long, long_whole):
    """A small file system in memory, with less and less room on it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(disk)], check=False
    )
    if mounted.returncode != 0:
        pytest.skip("file systems cannot be mounted here")
    try:
        endings = set()
        for room in range(0, 1_200_000, 40_000):
            filler = disk / "filler"
            filler.write_bytes(b"")
            free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
            filler.write_bytes(bytes(max(0, free - room)))
            command = [*COMMAND, *long, "--out", str(disk), "--save-every", "0"]
            answer = subprocess.run(command, capture_output=True, text=True, check=False)
            assert "Traceback" not in answer.stderr
            endings.add(answer.returncode)
            if answer.returncode != 0:
                assert answer.returncode == 1
                assert "No space left" in answer.stderr or "no space" in answer.stderr.lower()
            filler.unlink()
            dsgec(*long, "--out", disk, "--quiet")
            assert made(disk / RUN) == long_whole
            for path in (disk / RUN).iterdir():
                path.unlink()
            (disk / RUN).rmdir()
        assert endings == {0, 1}
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("the administrator can write everywhere")
    (tmp_path / RUN).mkdir(mode=0o500)
    answer = dsgec("evolve", "one_layer", "wdbc", "--generations", "1", "--out", tmp_path, code=1)
    assert "no permission" in answer.stderr
