"""Learning has no memory errors under sanitizers, and compiles without warnings."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.engine_program import OBJECTIVES, STRICT, WARNINGS, problem_bytes, program_source
from tests.support.example_grammars import FLAT, LAYERED
from tests.support.gradients import SETTINGS, make_pair, spans_of
from tests.support.random_phenotypes import layered_text, mutate_text

pytestmark = pytest.mark.needs_cc

DRIVER = Path(__file__).parent / "driver.c"
SANITIZERS = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def drive(pair, texts, folder, *flags, compiler="cc"):
    """Return the lines that the program prints for phenotypes; it fails if a sanitizer does."""
    text = program_source(pair.problem, "dsge", (DRIVER,), learning=True)
    (folder / "engine.c").write_text(text, encoding="utf-8")
    (folder / "problem").write_bytes(problem_bytes(pair.problem, SETTINGS, 1))
    program = folder / "engine"
    command = [compiler, *STRICT, *flags, str(folder / "engine.c"), "-o", str(program), "-lm"]
    subprocess.run(command, check=True, timeout=300)
    lines = []
    for text, spans in texts:
        numbers = " ".join(f"{offset} {length}" for offset, length in spans)
        lines.append(f"{len(spans)} {numbers} {text}" if spans else f"0 {text}")
    answer = subprocess.run(
        [str(program), str(folder / "problem")],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env={"ASAN_OPTIONS": "detect_stack_use_after_return=1"},
    )
    assert answer.returncode == 0, answer.stderr[-3000:]
    assert answer.stderr == ""
    return answer.stdout.splitlines()


def some_texts(rng, count, outputs):
    texts = [layered_text(rng, rng.choice([1, outputs])) for _ in range(count)]
    texts += [mutate_text(rng, text) for text in texts[: count // 3]]
    usable = [t for t in texts if t.isascii() and t.isprintable()]
    found = [(text, spans_of(text, rng)) for text in usable]
    return [*found, ("", []), ("x_1", []), ("0.5*x_1", [(0, 3), (4, 99)]), ("-", [(0, 1)])]


def assert_right(lines, pair, texts):
    """Assert that each line is what the engine in this process returns."""
    assert len(lines) == 2 * len(texts)
    scored = 0
    for (text, spans), slopes, tuned in zip(texts, lines[::2], lines[1::2], strict=True):
        outcome, loss, expected = pair.engine.native.gradient(text, spans, 0.01)
        _, code, *numbers = slopes.split()
        assert (code == "0") == (outcome == "SCORED"), text
        if outcome == "SCORED":
            assert [*map(float.fromhex, numbers)] == [loss, *expected]
        bounds = [(-5.0, 5.0)] * len(spans)
        outcome, values, loss, _ = pair.engine.native.tune(
            text, spans, bounds, [0.5] * len(spans), 20
        )
        _, code, *numbers = tuned.split()
        assert (code == "0") == (outcome == "SCORED")
        if outcome == "SCORED":
            assert [*map(float.fromhex, numbers)] == [loss, *values]
            scored += 1
    return scored


@pytest.mark.parametrize(
    ("compiler", "level"),
    [
        ("gcc", "-O0"),  # built in half the time
        *(pytest.param(name, "-O1", marks=pytest.mark.campaign) for name in ("gcc", "clang")),
    ],
)
def test_the_source_with_learning_has_no_warnings(compiler, level, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    extra = ("-Wno-unknown-pragmas", "-Wno-pass-failed") if compiler == "clang" else ()
    pair = make_pair(LAYERED, 2, "accuracy")
    texts = some_texts(random.Random(1), 40, 2)
    lines = drive(pair, texts, tmp_path, level, *WARNINGS, *extra, compiler=compiler)
    assert assert_right(lines, pair, texts) > 10


@pytest.mark.campaign
@pytest.mark.parametrize(("objective", "classes"), OBJECTIVES)
def test_no_address_and_no_behaviour_is_undefined(objective, classes, tmp_path):
    for number, grammar in enumerate((FLAT, LAYERED)):
        pair = make_pair(grammar, classes, objective, rows=(43, 700)[number])
        texts = some_texts(random.Random(number), 300, max(classes, 1))
        lines = drive(pair, texts, tmp_path, *SANITIZERS)
        assert_right(lines, pair, texts)
