"""Compare the engine's gradients and tuned weights with those of the reference."""

import re
from functools import cache

from dsgec.engine.toolchain import find_toolchain
from dsgec.network.syntax import PhenotypeError
from dsgec.search.gradient import loss_and_gradient, weighted_network
from dsgec.search.lbfgs import minimise
from dsgec.search.native import EngineEvolver, build_engine
from dsgec.search.settings import Settings
from tests.support.compilers import fast_toolchain
from tests.support.engine_runs import FAST_FLAGS, make, make_data

NUMERAL = re.compile(r"(?<![\w.\]])-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
SETTINGS = Settings(population=2, tournament=1)


def spans_of(text, rng=None):
    """Return the spans of a phenotype's numerals; with `rng`, of some, some without signs."""
    found = []
    for match in NUMERAL.finditer(text):
        start, end = match.span()
        if rng is not None:
            if rng.random() < 0.1:
                continue
            start += text[start] == "-" and rng.random() < 0.3
        found.append((len(text[:start].encode()), end - start))
    return found


class Pair:
    """The reference and an engine with learning, for the same problem."""

    def __init__(self, problem, flags=FAST_FLAGS):
        self.problem = problem
        toolchain = fast_toolchain() if flags == FAST_FLAGS else find_toolchain()
        build = build_engine(problem, "dsge", toolchain, flags, learning=True)
        self.engine = EngineEvolver(problem, SETTINGS, build=build)
        self.rows, self.targets = problem.rows, cache(problem.targets)

    def graph(self, text, spans):
        """Return the network with its weights, or None if the phenotype does not fit the task."""
        roles = self.problem.language.grammar.directives
        try:
            graph = weighted_network(
                text,
                spans,
                inputs=len(self.problem.dataset.features),
                layered=bool(roles.layer),
                output=roles.output,
            )
        except PhenotypeError:
            return None
        return graph if self.problem.fits(graph.network) else None

    def reference(self, text, spans, penalty=0.0, values=None):
        """Return the outcome, the loss and the gradient."""
        graph = self.graph(text, spans)
        if graph is None:
            return "REFUSED", None, None
        found = loss_and_gradient(
            graph,
            graph.values if values is None else values,
            self.rows,
            self.targets(len(graph.network.outputs)),
            self.problem.objective,
            penalty,
            linear=self.problem.language.is_linear,
        )
        return ("NOT_FINITE", None, None) if found is None else ("SCORED", *found)

    def assert_same(self, text, spans, penalty=0.0, values=None):
        """Compare loss and gradient, and return the outcome and the gradient."""
        outcome, loss, slopes = self.reference(text, spans, penalty, values)
        found = self.engine.native.gradient(text, spans, penalty, values)
        assert found[0] == outcome, text
        if outcome == "SCORED":
            assert found[1].hex() == loss.hex(), text
            assert [s.hex() for s in found[2]] == [s.hex() for s in slopes], text
        return outcome, slopes

    def tuned(self, text, spans, bounds, values, evaluations, penalty=0.0):
        """Return the weights that the reference tunes, or None if they have no loss."""
        graph = self.graph(text, spans)
        targets = self.targets(len(graph.network.outputs))

        def evaluate(tried):
            return loss_and_gradient(
                graph,
                tried,
                self.rows,
                targets,
                self.problem.objective,
                penalty,
                linear=self.problem.language.is_linear,
            )

        return minimise(values, *zip(*bounds, strict=True), evaluate, evaluations)

    def assert_same_tuning(self, text, spans, bounds, values, evaluations, penalty=0.0):
        """Compare the tuned weights, and return them, or None if they have no loss."""
        expected = self.tuned(text, spans, bounds, values, evaluations, penalty)
        found = self.engine.native.tune(text, spans, bounds, values, evaluations, penalty)
        if expected is None:
            assert found[0] == "NOT_FINITE"
            return None
        assert found[0] == "SCORED"
        assert [v.hex() for v in found[1]] == [v.hex() for v in expected.values], text
        assert (found[2].hex(), found[3]) == (expected.loss.hex(), expected.evaluations)
        return expected


def make_pair(grammar, classes, objective, rows=43, features=3, flags=FAST_FLAGS, seed=1):
    data = make_data(seed, rows, features, classes)
    return Pair(make(grammar, SETTINGS, data, objective), flags)


def compare_gradients(pair, rng, text):
    """Compare gradients at the phenotype's own weights and at others; return the outcome."""
    spans = spans_of(text, rng)
    outcome, _ = pair.assert_same(text, spans, rng.choice([0.0, 0.01]))
    if outcome == "SCORED":
        values = [value + rng.gauss(0, 1) for value in pair.graph(text, spans).values]
        pair.assert_same(text, spans, rng.choice([0.0, 0.01]), values)
    return outcome
