"""Random grammars of any texts, random fitness functions, and searches with them."""

import hashlib

from dsgec.engine.engine import QUICK
from dsgec.grammar.genome.genotype import REPRESENTATIONS
from dsgec.grammar.load import parse_grammar
from dsgec.search.choose import choose_evolver
from dsgec.search.fitness import LocalEvaluator
from dsgec.search.native import build_engine
from dsgec.search.text_evolvers import TextEngineEvolver
from dsgec.search.text_problem import make_text_problem
from dsgec.search.text_settings import make_text_settings
from tests.support.engine_runs import random_ways

SIGNS = "ab 1+\n\t\"'|<>#:{}\\é→𝄞%.,x"
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def quote(text):
    return '"' + "".join(_ESCAPES.get(sign, sign) for sign in text) + '"'


def random_text_grammar(rng):
    """A grammar in which every rule can end, and whose terminals are any texts."""
    names = [f"r{number}" for number in range(rng.randint(1, 5))]
    lines = []
    for name in names:
        leaf = quote("".join(rng.choices(SIGNS, k=rng.randint(0, 4))))
        options = [leaf]
        for _ in range(rng.randint(0, 3)):
            symbols = []
            for _ in range(rng.randint(1, 4)):
                text = quote("".join(rng.choices(SIGNS, k=rng.randint(1, 3))))
                symbols.append(f"<{rng.choice(names)}>" if rng.random() < 0.5 else text)
            options.append(" ".join(symbols))
        rng.shuffle(options)
        lines.append(f"<{name}> ::= {' | '.join(options)}")
    depths = " ".join(f"{name}={rng.randint(0, 4)}" for name in names)
    return "\n".join([*lines, f"%max-depth {depths}"])


def scatter(text, width):
    """A number, or several, that depend on a text in no simple way; some texts fail."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    if digest[0] < 12:
        raise ValueError(f"kind {digest[1] % 3}")
    if digest[0] < 18:
        return float("nan")
    values = [float(digest[2 + number % 20] % 7 - 2) / 2 for number in range(width)]
    return values or float(digest[2]) + len(text) / 64


SELECTIONS = (
    {},
    {"values": 6},
    {"values": 6, "selection": "lexicase"},
    {"values": 40, "selection": "lexicase", "down_sample": 0.25},
    {"values": 5, "selection": "epsilon-lexicase"},
    {"values": 9, "selection": "epsilon-lexicase", "down_sample": 0.5},
    {"values": 2, "objectives": 2},
    {"values": 3, "objectives": 3},
)
KINDS = (("dsge", "trees"), *((name, "lists") for name in REPRESENTATIONS))


def random_search(rng, kind, selection, **more):
    """The problem and the settings of a random search."""
    representation, variation = kind
    own = dict(selection)
    width = own.pop("values", 0)
    population = rng.randint(2, 25)
    given = {
        "representation": representation,
        "variation": variation,
        "population": population,
        "generations": rng.randint(1, 6),
        "seed": rng.getrandbits(64),
        "tournament": rng.randint(1, 4),
        "crossover": rng.random(),
        "mutation": rng.random(),
        "max_size": rng.choice([10**6, 500, rng.randint(1, 100)]),
        "codons": rng.choice([10, 60]),
        "wraps": rng.choice([0, 2]),
        "maximise": rng.random() < 0.5,
        **random_ways(rng),
        **own,
        **more,
    }
    if own.get("objectives", 1) == 1:
        given["elites"] = rng.randint(0, min(3, population - 1))
    settings = make_text_settings(given)
    grammar = parse_grammar(random_text_grammar(rng), any_text=True).grammar
    evaluator = LocalEvaluator(lambda text: scatter(text, width))
    problem = make_text_problem(grammar, evaluator, settings, name="scatter:fitness", digest="")
    return problem, settings


def evolve_with(problem, settings, backend):
    """An evolver; an engine is compiled quickly, since it runs for a moment only."""
    if backend == "reference" or settings.islands > 1:
        return choose_evolver(problem, settings, backend)
    build = build_engine(problem, settings.representation, flags=QUICK)
    return TextEngineEvolver(problem, settings, build=build)


def advance(problem, settings, backend):
    """The generations and the saved states of a search, with the evolver at its end."""
    evolver = evolve_with(problem, settings, backend)
    rows, states = [], []
    while evolver.next_generation <= settings.generations:
        rows += evolver.advance(1, float("inf"))
        states.append(evolver.save())
    return rows, states, evolver
