"""The state of a run between two generations to bytes, and back, as state.c and restore.c do it.

The bytes are the same whether the engine or the loop wrote them, so each goes on from the other's.
Only genotypes and scores are kept: texts follow from the genotypes, and are made again.
"""

import math
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from dsgec.errors import DsgecError
from dsgec.evolution.hash import hash_text
from dsgec.evolution.individual import (
    INFINITE,
    LARGEST_CHAMPION,
    NOT_FINITE,
    REFUSED,
    Champion,
    Individual,
    Score,
)
from dsgec.evolution.loop import State
from dsgec.evolution.native_input import (
    make_parameters,
    make_tables,
    other_run,
    problem_digest,
    run_identity,
)
from dsgec.evolution.problem import Problem
from dsgec.evolution.scoring import Scorer
from dsgec.evolution.settings import Settings
from dsgec.genome.ir import Derivation, Gene, Genotype, Representation
from dsgec.genome.rates import Rate
from dsgec.network.measure import written
from dsgec.network.tokens import PhenotypeError
from dsgec.random import Stream

_MAGIC, _LEARNING_MAGIC = b"dsgec-engine-2\n\0", b"dsgec-learns-1\n\0"
_COUNTS = struct.Struct("<5Q")  # next generation, evaluations, reused, individuals, texts
_TEXT = struct.Struct("<16sdBI")  # hash, fitness, outcome, size
_LEARNED = struct.Struct("<BdII")  # outcome, fitness, size, rates
_RATE = struct.Struct("<2d")
_OUTCOMES = ("", NOT_FINITE, REFUSED)
_LARGEST = (1 << 31) - 1  # integer of a genotype, and size of a network


def identify(problem: Problem, settings: Settings) -> bytes:
    """The digest that a saved state begins with."""
    digest = problem_digest(problem, settings.representation, make_tables(problem))
    return run_identity(digest, make_parameters(problem, settings))


def save(identity: bytes, state: State | None, scorer: Scorer, population: int) -> bytes:
    """The state as bytes; without one, that of a run that has not begun."""
    counts = (
        state.generation + 1 if state else 0,
        scorer.evaluations,
        scorer.reused,
        population,
        len(scorer.memory),
    )
    learning = scorer.problem.learning is not None
    parts = [identity, _magic(scorer.problem), _COUNTS.pack(*counts)]
    for individual in state.population if state else ():
        parts.append(_genotype_bytes(individual.derivation.genotype))
        if learning:
            parts.append(_learned_bytes(individual))
    for key, score in scorer.memory.items():
        outcome = _OUTCOMES.index(score.outcome)
        parts.append(_TEXT.pack(key, score.fitness, outcome, score.size))
    for size in range(LARGEST_CHAMPION + 1):
        champion = scorer.hall.get(size)
        text = champion.phenotype.encode("utf-8", "surrogatepass") if champion else b""
        parts.append(struct.pack("<I", len(text)))
        if champion:
            genotype = champion.genotype
            content = text if genotype is None else _genotype_bytes(genotype)
            parts.append(struct.pack("<d", champion.fitness) + content)
    return b"".join(parts)


def _magic(problem: Problem) -> bytes:
    return _LEARNING_MAGIC if problem.learning else _MAGIC


def _learned_bytes(individual: Individual) -> bytes:
    """What becomes of an individual that learns does not follow from its text."""
    score, rates = individual.score, individual.rates
    outcome = REFUSED if individual.derivation.fault else score.outcome
    head = _LEARNED.pack(_OUTCOMES.index(outcome), score.fitness, score.size, len(rates))
    return head + b"".join(_RATE.pack(*rate) for rate in rates)


def restore(
    data: bytes, identity: bytes, problem: Problem, settings: Settings, scorer: Scorer
) -> State | None:
    """The state that the bytes hold; the memory and the hall of fame go to a new scorer."""
    if data[: len(identity)] != identity:
        raise other_run()
    try:
        return _Reader(data[len(identity) :], problem, settings, scorer).state()
    except (_Damaged, struct.error, UnicodeDecodeError, PhenotypeError) as error:
        raise DsgecError(
            "the saved state is not one of this run",
            "The file may be damaged: start the run from scratch.",
        ) from error


def migrant_bytes(individual: Individual, problem: Problem) -> bytes:
    """A valid individual, for a population of the same run with another seed."""
    if problem.learning:
        return _genotype_bytes(individual.derivation.genotype) + _learned_bytes(individual)
    score = struct.pack("<dI", individual.fitness, individual.score.size)
    return _genotype_bytes(individual.derivation.genotype) + score


def read_migrant(data: bytes, problem: Problem, settings: Settings, scorer: Scorer) -> Individual:
    """The individual that `migrant_bytes` wrote; its text is remembered as one scored."""
    try:
        return _Reader(data, problem, settings, scorer).migrant()
    except (_Damaged, struct.error) as error:
        raise DsgecError("what came from another population is not of this run") from error


class _Damaged(Exception):
    """The bytes are not what `save` gives."""


class _Reader:
    def __init__(self, data: bytes, problem: Problem, settings: Settings, scorer: Scorer) -> None:
        self.data, self.at = data, 0
        self.problem, self.settings, self.scorer = problem, settings, scorer

    def state(self) -> State | None:
        magic = _magic(self.problem)
        _expect(self.bytes(len(magic)) == magic)
        generation, evaluations, reused, population, texts = self.unpack(_COUNTS)
        _expect(population == self.settings.population)
        _expect(not texts or not self.problem.learning)  # a run that learns remembers none
        _expect(max(generation, evaluations, reused) < 1 << 62)
        genotypes: list[Genotype] = []
        individuals: list[Individual] = []
        for _ in range(population if generation else 0):
            genotypes.append(self.genotype())
            if self.problem.learning:
                individuals.append(self.learned(genotypes[-1]))
        for _ in range(texts):
            self.text()
        for size in range(LARGEST_CHAMPION + 1):
            self.champion(size)
        _expect(self.at == len(self.data))
        self.scorer.evaluations, self.scorer.reused = evaluations, reused
        if not generation:
            return None
        if not self.problem.learning:
            individuals = [*self.individuals(genotypes)]
        return State(generation - 1, tuple(individuals), evaluations, reused)

    def learned(self, genotype: Genotype) -> Individual:
        number, fitness, size, count = self.unpack(_LEARNED)
        derivation = self.express(genotype)
        _expect(number < len(_OUTCOMES))
        outcome = _OUTCOMES[number]
        _expect(not derivation.fault or outcome == REFUSED)
        _expect_score(outcome, fitness, size)
        _expect(count in (0, len(derivation.numbers)))
        rates = tuple(Rate(*self.unpack(_RATE)) for _ in range(count))
        _expect(all(rate.step > 0 and all(map(math.isfinite, rate)) for rate in rates))
        reason = derivation.fault or outcome
        return Individual(derivation, Score(fitness, reason, size, outcome), rates)

    def express(self, genotype: Genotype) -> Derivation:
        return _express(self.problem.represent(self.settings), genotype)

    def individuals(self, genotypes: Sequence[Genotype]) -> Iterator[Individual]:
        represented = self.problem.represent(self.settings)
        for genotype in genotypes:
            derivation = _express(represented, genotype)
            if derivation.fault:
                yield Individual(derivation, Score(INFINITE, derivation.fault))
                continue
            score = self.scorer.memory.get(hash_text(derivation.phenotype))
            if score is None:
                raise _Damaged
            yield Individual(derivation, score)

    def migrant(self) -> Individual:
        genotype = self.genotype()
        if self.problem.learning:
            individual = self.learned(genotype)
            _expect(self.at == len(self.data) and not individual.score.reason)
            return individual
        fitness, size = self.unpack(struct.Struct("<dI"))
        _expect(self.at == len(self.data) and math.isfinite(fitness) and size <= _LARGEST)
        derivation = _express(self.problem.represent(self.settings), genotype)
        _expect(not derivation.fault)
        key = hash_text(derivation.phenotype)
        return Individual(derivation, self.scorer.memory.setdefault(key, Score(fitness, size=size)))

    def genotype(self) -> Genotype:
        genes: dict[Gene, tuple[int, ...]] = {}
        last = (-1, -1)
        for _ in range(self.number()):
            gene, length = (self.number(), self.number()), self.number()
            _expect(length > 0 and gene > last)
            values = struct.unpack(f"<{length}I", self.bytes(4 * length))
            _expect(max(values) <= _LARGEST)
            genes[gene], last = values, gene
        return genes

    def text(self) -> None:
        key, fitness, number, size = self.unpack(_TEXT)
        _expect(number < len(_OUTCOMES) and key not in self.scorer.memory)
        outcome = _OUTCOMES[number]
        _expect_score(outcome, fitness, size)
        self.scorer.memory[key] = Score(fitness, outcome, size, outcome)

    def champion(self, size: int) -> None:
        length = self.number()
        if not length:
            return
        (fitness,) = self.unpack(struct.Struct("<d"))
        genotype: Genotype | None = None
        if self.problem.learning:
            genotype = self.genotype()
            text = self.express(genotype).phenotype
            _expect(len(text.encode("utf-8", "surrogatepass")) == length)
        else:
            text = self.bytes(length).decode("utf-8", "surrogatepass")
        _expect(math.isfinite(fitness) and self.problem.fits(self.problem.parse(text)))
        layered = bool(self.problem.grammar.directives.layer)
        _expect(written(text, layered=layered) == size)
        self.scorer.hall[size] = Champion(size, fitness, text, genotype)

    def number(self) -> int:
        return int.from_bytes(self.bytes(4), "little")

    def unpack(self, layout: struct.Struct) -> tuple[Any, ...]:
        return layout.unpack(self.bytes(layout.size))

    def bytes(self, count: int) -> bytes:
        part = self.data[self.at : self.at + count]
        _expect(len(part) == count)
        self.at += count
        return part


def _expect_score(outcome: str, fitness: float, size: int) -> None:
    _expect(fitness == INFINITE and size == 0 if outcome else math.isfinite(fitness))
    _expect(size <= _LARGEST)


def _expect(condition: bool) -> None:
    if not condition:
        raise _Damaged


def _express(represented: Representation, genotype: Genotype) -> Derivation:
    """Map a genotype. Nothing is drawn: one that needs mending was never saved."""
    _expect(represented.is_whole(genotype))
    derivation = represented.express(genotype, Stream(0, 0, 0))
    _expect(dict(derivation.genotype) == genotype)
    return derivation


def _genotype_bytes(genotype: Genotype) -> bytes:
    parts = [struct.pack("<I", len(genotype))]
    for (rule, part), values in sorted(genotype.items()):
        parts.append(struct.pack(f"<3I{len(values)}I", rule, part, len(values), *values))
    return b"".join(parts)
