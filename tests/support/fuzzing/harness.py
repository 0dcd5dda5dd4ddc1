"""Build and run fuzzers by clang's libFuzzer, or programs that replay files by any compiler."""

import os
import re
import shutil
import subprocess
import tempfile
from functools import cache, lru_cache
from pathlib import Path

import pytest

from dsgec.data.native import reader_source
from dsgec.search import scoring
from dsgec.search.settings import Settings
from tests.support.compilers import fast_engine
from tests.support.engine_program import problem_bytes, program_source
from tests.support.engine_runs import make, make_data

HERE = Path(__file__).parent
FLAGS = ("-std=c99", "-g1", "-ffp-contract=off", "-pthread")
QUIET = {"clang": ("-Wno-unknown-pragmas", "-Wno-pass-failed")}
SANITIZERS = "address,undefined"
SHALLOW = (("hidden-layers", 2), ("nodes", 2), ("sum", 2))
LIMITS = ("-timeout=60", "-rss_limit_mb=2000", "-reload=0")
# These halve the time of a run and reach as much: no stack is kept of each allocation (a fault that
# is replayed without this has it), 16 MB and not 256 are kept from use after they are freed, and
# inputs are not weighed by how rare is what they reach.
ASAN = "malloc_context_size=1:quarantine_size_mb=16"
QUICKLY = ("-entropic=0",)


def expect_libfuzzer():
    """Skip the test unless clang is here with its runtime, which is often a package of its own."""
    if not clang_has("fuzzer"):
        pytest.skip("no clang, or it has no libFuzzer")


@cache
def clang_has(library):
    """Return whether clang is installed with this library of its runtime."""
    if not shutil.which("clang"):
        return False
    command = ["clang", "-print-runtime-dir"]
    folder = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return any(Path(folder).glob(f"libclang_rt.{library}*"))


def fast_sanitizer():
    """Return the compiler that builds fastest with sanitizers: clang takes half of gcc's time."""
    return "clang" if clang_has("asan") else "cc"


class Reader:
    """The harness of the reader of tables."""

    name, most, flags = "reader", 4096, ()

    def source(self, *more):
        parts = [HERE / "expect.h", HERE / "reader.c", *more]
        return "\n".join([reader_source(), *(part.read_text(encoding="utf-8") for part in parts)])

    def environment(self, folder):
        return {}


class EngineHarness:
    """The harness of an engine that reads states (`restore`) or migrants (`receive`).

    Populations and networks are small: it takes one some milliseconds to read an input and run on.
    """

    most = 1 << 16
    # Comparisons are followed at three times the cost, and the mutator knows what to compare with.
    flags = ("-fno-sanitize-coverage=trace-cmp",)

    def __init__(self, target, grammar, representation="dsge", classes=2, **settings):
        variation = settings.get("variation", "lists")
        self.target, self.name = target, f"{target}-{representation}-{grammar}-{variation}"
        self.settings = Settings(
            population=4,
            generations=6,
            elites=2,
            tournament=2,
            seed=5,
            representation=representation,
            codons=60,
            wraps=1,
            max_size=3000,
            max_depth=SHALLOW if grammar.startswith("multi_layer") else (),
            **settings,
        )
        self.problem = make(grammar, self.settings, make_data(1, 11, 3, classes))

    def source(self, *more):
        names = ("expect.h", "engines.c", "restore.c", "receive.c", "targets.c")
        own = [HERE / name for name in names]
        mutator = () if more else (HERE / "mutate.c",)  # which only libFuzzer calls
        return program_source(self.problem, self.settings.representation, (*own, *mutator, *more))

    def environment(self, folder):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scoring, "REMEMBERED", 14)  # so that an engine forgets, too
            (folder / "problem").write_bytes(problem_bytes(self.problem, self.settings, 1))
        return {"PROBLEM": str(folder / "problem"), "TARGET": self.target}

    def seeds(self):
        """Return states or migrants of real runs; their format belongs to this version."""
        found = []
        for generations in (0, 1, 2, 5):
            engine = fast_engine(self.problem, self.settings)
            engine.step(generations)
            if self.target == "restore":
                found.append(engine.native.save())
            elif generations:
                valid = [
                    number
                    for number in range(self.settings.population)
                    if not engine.individual(number).invalid
                ]
                found += [engine.send(number) for number in valid[:3]]
        return found


def replay(harness, inputs, folder):
    """Feed inputs to a harness that is built without libFuzzer; it stops at the first fault."""
    compiler = fast_sanitizer()
    program = build(harness, folder, compiler, SANITIZERS, "-O0", more=(HERE / "replay.c",))
    run([program, *save(inputs, folder / "inputs")], harness.environment(folder))


def fuzz(harness, inputs, folder, runs):
    """Fuzz for so many runs, print the coverage, and return the inputs that reached new code."""
    expect_libfuzzer()
    sanitizers = f"fuzzer,{SANITIZERS}"
    program = build(harness, folder, "clang", sanitizers, "-O1", *harness.flags)
    save(inputs, folder / "seeds")
    (folder / "corpus").mkdir()
    options = (f"-runs={runs}", f"-artifact_prefix={folder}/", *options_of(harness))
    command = [program, *options, folder / "corpus", folder / "seeds"]
    report = run(command, harness.environment(folder))
    coverage, features = re.findall(r"cov: (\d+) ft: (\d+)", report)[-1]
    found = contents(folder / "corpus")
    print(
        f"{harness.name}: {runs} runs, {coverage} edges, {features} features, {len(found)} inputs"
    )
    return found


def accepted(harness, folder):
    """Return the inputs of `fuzz` in this folder that the engine accepted, some repaired."""
    (folder / "accepted").mkdir()
    environment = {**harness.environment(folder), "ACCEPTED": str(folder / "accepted")}
    run([folder / "program", *sorted((folder / "corpus").iterdir())], environment)
    return contents(folder / "accepted")


def merge(harness, folder):
    """Return a smallest set of the inputs of `fuzz` in this folder with the same coverage."""
    (folder / "least").mkdir()
    command = [folder / "program", "-merge=1", *options_of(harness)]
    run([*command, folder / "least", folder / "corpus", folder / "seeds"], {})
    return contents(folder / "least")


def build(harness, folder, compiler, sanitizers, *flags, more=()):
    source, program = harness.source(*more), folder / "program"
    (folder / "program.c").write_text(source, encoding="utf-8")  # to look into what was found
    command = (compiler, *FLAGS, *QUIET.get(compiler, ()), *flags)
    command += (f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all")
    program.write_bytes(compiled(source, command))
    program.chmod(0o700)
    return program


@lru_cache(maxsize=2)  # the targets of an engine come one after the other
def compiled(source, command):
    """Compile a source and return the bytes of the program."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.c").write_text(source, encoding="utf-8")
        subprocess.run(
            [*command, "program.c", "-o", "program", "-lm"], check=True, timeout=600, cwd=folder
        )
        return Path(folder, "program").read_bytes()


def options_of(harness):
    return ("-seed=1", f"-max_len={harness.most}", *LIMITS, *QUICKLY)


def run(command, environment):
    """Run a program that must not report anything, and return its messages."""
    answer = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=3000,
        env={
            **os.environ,
            "ASAN_OPTIONS": ASAN,
            "UBSAN_OPTIONS": "print_stacktrace=1",
            **environment,
        },
    )
    assert answer.returncode == 0, answer.stderr[-6000:]
    return answer.stderr


def save(inputs, folder):
    folder.mkdir(exist_ok=True)
    files = [folder / f"{number:05}" for number in range(len(inputs))]
    for file, content in zip(files, inputs, strict=True):
        file.write_bytes(content)
    return files


def contents(folder):
    return [path.read_bytes() for path in sorted(folder.iterdir())]
