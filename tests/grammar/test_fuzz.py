"""Any text is parsed to a Grammar or refused with a DsgecError, quickly."""

import random
import time
from pathlib import Path

import pytest

from dsgec.errors import DsgecError
from dsgec.grammar.expand import expand
from dsgec.grammar.ir import Grammar
from dsgec.grammar.load import parse
from dsgec.grammar.recursion import analyse_recursion, make_size_bound
from dsgec.grammar.text import grammar_text
from dsgec.resources import GRAMMARS

HERE = Path(__file__).parent
SEEDS = [entry.read_bytes() for entry in GRAMMARS.iterdir() if entry.name.endswith(".bnf")]
SEEDS += [path.read_bytes() for path in sorted((HERE / "foreign").iterdir())]
SEEDS += [
    part.split(b"\n", 1)[1].split(b"\n--- ")[0]
    for part in (HERE / "faults.cases").read_bytes().split(b"\n=== ")[1:]
]
PIECES = [b"<", b">", b"|", b"::=", b":=", b"%", b"#", b'"', b"'", b"\\", b"...", b" ", b"\n"]
PIECES += [b"\r", b"\0", b"\xff", b"\t", b"<a>", b"<a", b"%start ", b"%max-depth ", b"=", b"None"]
PIECES += [b"GE_RANGE:", b"GE_RANGE:dataset_n_vars", b"x_1 | ... | x_n", b" , ... , ", b"{:", b"n"]
PIECES += [
    "…é\u2028\xa0".encode(),
    b"9" * 30,
    b"%layer none\n",
    b"%output sigmoid\n",
    b"\\eb",
    b"-1",
]


def mutate(rng: random.Random) -> bytes:
    data = rng.choice(SEEDS)
    for _ in range(rng.choice((1, 1, 2, 3, 8, 20))):
        at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        to = min(to, at + rng.choice((0, 1, 3, 40)))
        kind = rng.randrange(5)
        if kind == 0:
            data = data[:at] + data[to:]
        elif kind == 1:
            data = data[:at] + rng.choice(PIECES) + data[at:]
        elif kind == 2:
            data = data[:to] + data[at:to] * rng.choice((1, 2, 50)) + data[to:]
        elif kind == 3:
            other = rng.choice(SEEDS)
            start = rng.randrange(len(other) + 1)
            data = data[:at] + other[start : start + 60] + data[at:]
        else:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    return data


def try_mutation(seed: int) -> None:
    data = mutate(random.Random(seed))
    began = time.process_time()
    try:
        grammar = parse(data, "fuzz.bnf")
        assert isinstance(grammar, Grammar)
        assert parse(grammar_text(grammar), "fuzz.bnf") == grammar
        whole = expand(grammar, 3, 2)
        make_size_bound(whole, analyse_recursion(whole), {}, lambda alternative: 1)(
            whole.directives.start
        )
    except DsgecError as error:
        assert error.faults
        assert str(error).replace("\n", "").isprintable()
        for fault in error.faults:
            assert fault.message
            assert fault.advice
            assert fault.span is not None
    assert time.process_time() - began < 2, f"seed {seed}: {data!r}"


def test_a_mutated_grammar_is_a_grammar_or_a_mistake():
    for seed in range(500):
        try_mutation(seed)


@pytest.mark.campaign
def test_many_mutated_grammars_are_grammars_or_mistakes():
    for seed in range(500, 20_500):
        try_mutation(seed)
