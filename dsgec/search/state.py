"""Save the state of a run between two generations as bytes, and restore it.

templates/engine/state.c and restore.c write and read the same bytes, so that a run can be resumed
with another backend, and the tests compare the two. Only genotypes and scores are saved, since
phenotypes follow from the genotypes.
"""

import math
import struct
from dataclasses import replace
from typing import Any

from dsgec.errors import DsgecError
from dsgec.grammar.genome.genotype import Derivation, Gene, Genotype
from dsgec.grammar.genome.rates import Rate
from dsgec.network.simplify import simplify
from dsgec.network.syntax import PhenotypeError
from dsgec.random import Stream
from dsgec.search.individual import (
    INFINITE,
    LARGEST_CHAMPION,
    NOT_FINITE,
    REFUSED,
    Champion,
    Individual,
    Score,
)
from dsgec.search.loop import State
from dsgec.search.models import search_cost
from dsgec.search.native_input import (
    make_parameters,
    make_tables,
    other_run,
    problem_digest,
    run_identity,
)
from dsgec.search.problem import Problem
from dsgec.search.scoring import Scorer, hash_text
from dsgec.search.settings import Settings

_MAGIC, _LEARNING_MAGIC = b"dsgec-engine-2\n\0", b"dsgec-learns-1\n\0"
_TEXT_MAGIC = b"dsgec-anyfit-1\n\0"
_COUNTS = struct.Struct("<5Q")  # next generation, evaluations, reused, individuals, memory
_REMEMBERED = struct.Struct("<16sdB")  # hash, fitness, outcome; then its size
_LEARNED = struct.Struct("<Bd")  # outcome, fitness; then its size, and how many rates there are
_COST = struct.Struct("<Q")  # after a size, if a cost is minimised
_WIDTH = struct.Struct("<Q")  # after the counts: values that follow a size, of a user's fitness
_RATE = struct.Struct("<2d")
_FITNESS = struct.Struct("<d")
_OUTCOMES = ("", NOT_FINITE, REFUSED)
_LARGEST = (1 << 31) - 1  # integer of a genotype or size of a network
_LARGEST_COST = 1 << 53  # costs up to this are exact as doubles


def identify(problem: Problem, settings: Settings) -> bytes:
    """Return the digest that a saved state begins with."""
    digest = problem_digest(problem, settings.representation, make_tables(problem))
    return run_identity(digest, make_parameters(problem, settings))


def save(identity: bytes, state: State | None, scorer: Scorer, population: int) -> bytes:
    """Return a state as bytes; None is the state of a run that has not begun."""
    counts = (
        state.generation + 1 if state else 0,
        scorer.evaluations,
        scorer.reused,
        population,
        len(scorer.memory),
    )
    problem = scorer.problem
    parts = [identity, _magic(problem), _COUNTS.pack(*counts)]
    if problem.fitness is not None:
        parts.append(_WIDTH.pack(_width(scorer)))
    for individual in state.population if state else ():
        parts.append(_genotype_bytes(individual.derivation.genotype))
        if problem.learning:
            parts.append(_learned_bytes(individual, problem))
    for key, score in scorer.memory.items():
        outcome = _OUTCOMES.index(score.outcome)
        parts.append(_REMEMBERED.pack(key, score.fitness, outcome) + _size_bytes(score, problem))
    if problem.fitness is not None:  # which has a hall of fame of its own
        return b"".join(parts)
    slots = scorer.hall.slots
    for slot in range(LARGEST_CHAMPION + 1):
        champion = slots.get(slot)
        phenotype = champion.phenotype.encode("utf-8", "surrogatepass") if champion else b""
        parts.append(struct.pack("<I", len(phenotype)))
        if champion:
            genotype = champion.genotype
            content = phenotype if genotype is None else _genotype_bytes(genotype)
            parts.append(_FITNESS.pack(champion.fitness) + content)
    return b"".join(parts)


def _width(scorer: Scorer) -> int:
    """Return how many values each valid phenotype has, of a user's fitness."""
    return max((len(score.values) for score in scorer.memory.values()), default=0)


def _magic(problem: Problem) -> bytes:
    if problem.fitness is not None:
        return _TEXT_MAGIC
    return _LEARNING_MAGIC if problem.learning else _MAGIC


def _size_bytes(score: Score, problem: Problem) -> bytes:
    if problem.fitness is not None:
        return struct.pack(f"<I{len(score.values)}d", score.size, *score.values)
    cost = _COST.pack(score.cost) if problem.cost.is_minimised else b""
    return struct.pack("<I", score.size) + cost


def _learned_bytes(individual: Individual, problem: Problem) -> bytes:
    """Return the score and the rates of an individual that learns."""
    score, rates = individual.score, individual.rates
    outcome = REFUSED if individual.derivation.fault else score.outcome
    head = _LEARNED.pack(_OUTCOMES.index(outcome), score.fitness) + _size_bytes(score, problem)
    count = struct.pack("<I", len(rates))
    return head + count + b"".join(_RATE.pack(*rate) for rate in rates)


def restore(
    data: bytes, identity: bytes, problem: Problem, settings: Settings, scorer: Scorer
) -> State | None:
    """Restore a state; the memory and the hall of fame go to a new scorer."""
    if data[: len(identity)] != identity:
        raise other_run()
    try:
        return _Reader(data[len(identity) :], problem, settings, scorer).state()
    except (_DamagedState, struct.error, UnicodeDecodeError, PhenotypeError) as error:
        raise DsgecError(
            "the saved state is not one of this run",
            "The file may be damaged: start the run from scratch.",
        ) from error


def migrant_bytes(individual: Individual, problem: Problem) -> bytes:
    """Return a valid individual as bytes, for another island of the same run."""
    genotype = _genotype_bytes(individual.derivation.genotype)
    if problem.learning:
        return genotype + _learned_bytes(individual, problem)
    return genotype + _FITNESS.pack(individual.fitness) + _size_bytes(individual.score, problem)


def read_migrant(data: bytes, problem: Problem, settings: Settings, scorer: Scorer) -> Individual:
    """Restore the individual that `migrant_bytes` wrote; the scorer remembers its score."""
    try:
        return _Reader(data, problem, settings, scorer).migrant()
    except (_DamagedState, struct.error) as error:
        raise DsgecError("what came from another population is not of this run") from error


class _DamagedState(Exception):
    """The bytes are not what `save` returns."""


class _Reader:
    def __init__(self, data: bytes, problem: Problem, settings: Settings, scorer: Scorer) -> None:
        self.data, self.at = data, 0
        self.problem, self.settings, self.scorer = problem, settings, scorer
        self.representation = problem.represent(settings)
        self.width = _width(scorer)

    def state(self) -> State | None:
        magic = _magic(self.problem)
        _require(self.bytes(len(magic)) == magic)
        generation, evaluations, reused, population, remembered = self.unpack(_COUNTS)
        if self.problem.fitness is not None:
            (self.width,) = self.unpack(_WIDTH)
        _require(population == self.settings.population)
        _require(not remembered or not self.problem.learning)
        _require(max(generation, evaluations, reused) < 1 << 62)
        genotypes: list[Genotype] = []
        individuals: list[Individual] = []
        for _ in range(population if generation else 0):
            genotypes.append(self.genotype())
            if self.problem.learning:
                individuals.append(self.learned(genotypes[-1]))
        for _ in range(remembered):
            key, fitness, outcome = self.unpack(_REMEMBERED)
            _require(key not in self.scorer.memory)
            self.scorer.memory[key] = self.score(outcome, fitness)
        for slot in range(LARGEST_CHAMPION + 1 if self.problem.fitness is None else 0):
            self.champion(slot)
        _require(self.at == len(self.data))
        self.scorer.evaluations, self.scorer.reused = evaluations, reused
        if not self.problem.learning:
            individuals = [self.scored(genotype) for genotype in genotypes]
        if not generation:
            return None
        return State(generation - 1, tuple(individuals), evaluations, reused)

    def learned(self, genotype: Genotype) -> Individual:
        """Read the score and the rates of an individual that learns."""
        score = self.score(*self.unpack(_LEARNED))
        count = self.number()
        derivation = self.express(genotype)
        _require(not derivation.fault or score.outcome == REFUSED)
        _require(count in (0, len(derivation.constants)))
        rates = tuple(Rate(*self.unpack(_RATE)) for _ in range(count))
        _require(all(rate.step > 0 and all(map(math.isfinite, rate)) for rate in rates))
        reason = derivation.fault or score.outcome
        return Individual(derivation, replace(score, reason=reason), rates)

    def scored(self, genotype: Genotype) -> Individual:
        """Return an individual with the score that its phenotype has in the memory."""
        derivation = self.express(genotype)
        if derivation.fault:
            return Individual(derivation, Score(INFINITE, derivation.fault))
        key = hash_text(derivation.phenotype)
        _require(key in self.scorer.memory)
        return Individual(derivation, self.scorer.memory[key])

    def migrant(self) -> Individual:
        genotype = self.genotype()
        if self.problem.learning:
            individual = self.learned(genotype)
            _require(self.at == len(self.data) and not individual.score.reason)
            return individual
        score = self.score(_OUTCOMES.index(""), *self.unpack(_FITNESS))
        derivation = self.express(genotype)
        _require(self.at == len(self.data) and not derivation.fault)
        key = hash_text(derivation.phenotype)
        return Individual(derivation, self.scorer.memory.setdefault(key, score))

    def express(self, genotype: Genotype) -> Derivation:
        """Map a genotype without random draws, since a saved one needs no repair."""
        _require(self.representation.is_valid(genotype))
        derivation = self.representation.express(genotype, Stream(0, 0, 0))
        _require(dict(derivation.genotype) == genotype)
        return derivation

    def score(self, number: int, fitness: float) -> Score:
        """Read a size and, if one is minimised, a cost, and return a valid score."""
        size = self.number()
        if self.problem.fitness is not None:
            return self.text_score(number, fitness, size)
        cost = self.unpack(_COST)[0] if self.problem.cost.is_minimised else size
        _require(number < len(_OUTCOMES) and size <= _LARGEST and cost <= _LARGEST_COST)
        outcome = _OUTCOMES[number]
        _require(fitness == INFINITE and size == cost == 0 if outcome else math.isfinite(fitness))
        return Score(fitness, outcome, size, outcome, cost)

    def text_score(self, number: int, fitness: float, size: int) -> Score:
        """Read the values of a user's fitness, and return a score."""
        _require(number < len(_OUTCOMES) and size <= _LARGEST)
        outcome = _OUTCOMES[number]
        _require(fitness == INFINITE and size == 0 if outcome else math.isfinite(fitness))
        count = 0 if outcome else self.width
        _require(8 * count <= len(self.data) - self.at)
        values = struct.unpack(f"<{count}d", self.bytes(8 * count))
        _require(all(map(math.isfinite, values)))
        return Score(fitness, outcome, size, outcome, size, values)

    def genotype(self) -> Genotype:
        genes: dict[Gene, tuple[int, ...]] = {}
        last = (-1, -1)
        for _ in range(self.number()):
            gene, length = (self.number(), self.number()), self.number()
            _require(length > 0 and gene > last)
            values = struct.unpack(f"<{length}I", self.bytes(4 * length))
            _require(max(values) <= _LARGEST)
            genes[gene], last = values, gene
        return genes

    def champion(self, slot: int) -> None:
        length = self.number()
        if not length:
            return
        (fitness,) = self.unpack(_FITNESS)
        genotype: Genotype | None = None
        if self.problem.learning:
            genotype = self.genotype()
            phenotype = self.express(genotype).phenotype
            _require(len(phenotype.encode("utf-8", "surrogatepass")) == length)
        else:
            phenotype = self.bytes(length).decode("utf-8", "surrogatepass")
        network = self.problem.language.parse(phenotype)
        _require(math.isfinite(fitness) and self.problem.fits(network))
        size = self.problem.language.connections(phenotype)
        cost = search_cost(self.problem, simplify(network), size)
        champion = Champion(size, fitness, phenotype, genotype, cost)
        self.scorer.hall.admit(champion)
        slots = self.scorer.hall.slots
        _require(slots.get(slot) is champion and max(slots) == slot)

    def number(self) -> int:
        return int.from_bytes(self.bytes(4), "little")

    def unpack(self, layout: struct.Struct) -> tuple[Any, ...]:
        return layout.unpack(self.bytes(layout.size))

    def bytes(self, count: int) -> bytes:
        part = self.data[self.at : self.at + count]
        _require(len(part) == count)
        self.at += count
        return part


def _require(condition: bool) -> None:
    """Raise an error if a state is damaged."""
    if not condition:
        raise _DamagedState


def _genotype_bytes(genotype: Genotype) -> bytes:
    parts = [struct.pack("<I", len(genotype))]
    for (rule, part), values in sorted(genotype.items()):
        parts.append(struct.pack(f"<3I{len(values)}I", rule, part, len(values), *values))
    return b"".join(parts)
