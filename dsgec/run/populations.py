"""The populations of a run as columns, in blocks of generations that numpy reads.

`dsgec evolve` and `dsgec search` write them with `--log populations`. A block is a file of numpy's
format .npz, not compressed, so that its bytes are the same everywhere; every genotype of a block
is in it once. docs/reference/populations.md describes the columns.
"""

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError
from dsgec.folder import Folder
from dsgec.grammar.genome.genotype import Gene, Genotype
from dsgec.manifest import GENEALOGY, POPULATIONS
from dsgec.search.evolver import Evolver, Island, Member
from dsgec.search.islands import IslandEvolver

BLOCK = 50
"""The generations of a block."""

_MOST_BYTES = 1 << 31
_COLUMNS = ("generation", "individual", "fitness", "rule", "part", "length", "integer", "value")
Key = tuple[tuple[Gene, tuple[int, ...]], ...]
"""A genotype in a form that can be compared and hashed."""

_Arrays = Mapping[str, NDArray[Any]]


def block_name(generation: int) -> str:
    """Return the name, in a run's folder, of the block with a generation."""
    return f"{POPULATIONS}/{generation // BLOCK:06}.npz"


class Block:
    """The populations of at most BLOCK generations in a row."""

    def __init__(self) -> None:
        self.generations: list[int] = []
        self._rows: list[list[int]] = []
        self._fitness: list[list[float]] = []
        self._numbers: dict[Key, int] = {}
        self._values: list[tuple[float, ...]] = []

    def add(self, generation: int, members: Sequence[Member]) -> None:
        """Add the population of the next generation."""
        rows = []
        for one in members:
            key = sort_genotype(one.genotype)
            number = self._numbers.setdefault(key, len(self._numbers))
            if number == len(self._values):
                self._values.append(one.values)
            rows.append(number)
        self.generations.append(generation)
        self._rows.append(rows)
        self._fitness.append([one.fitness for one in members])

    def members(self, generation: int) -> list[Member]:
        """Return the population of a generation that the block has."""
        place = self.generations.index(generation)
        keys = [*self._numbers]
        pairs = zip(self._rows[place], self._fitness[place], strict=True)
        return [Member(dict(keys[row]), fitness, self._values[row]) for row, fitness in pairs]

    def cut(self, generation: int) -> "Block":
        """Return the block without the generations after this one."""
        kept = Block()
        for own in self.generations:
            if own <= generation:
                kept.add(own, self.members(own))
        return kept

    def __bytes__(self) -> bytes:
        genes = sorted({gene for key in self._numbers for gene, _ in key})
        places = {gene: number for number, gene in enumerate(genes)}
        length = np.zeros((len(self._numbers), len(genes)), np.int64)
        integers: list[int] = []
        for row, key in enumerate(self._numbers):
            for gene, own in key:
                length[row, places[gene]] = len(own) + 1
                integers += own
        width = max(map(len, self._values), default=0)
        values = np.full((len(self._values), width), np.nan)
        for row, each in enumerate(self._values):
            values[row, : len(each)] = each
        arrays: _Arrays = {
            "generation": np.array(self.generations, np.int64),
            "individual": _narrow(np.array(self._rows, np.int64)),
            "fitness": np.array(self._fitness, np.float64),
            "rule": np.array([rule for rule, _ in genes], np.int64),
            "part": np.array([part for _, part in genes], np.int64),
            "length": _narrow(length),
            "integer": _narrow(np.array(integers, np.int64)),
            "value": _narrow_floats(values),
        }
        out = io.BytesIO()
        save: Callable[..., None] = np.savez
        save(out, **arrays)
        return out.getvalue()

    @classmethod
    def parse(cls, data: bytes, source: str) -> "Block":
        """Return the block in the bytes of a file; raise a DsgecError if it is damaged."""
        try:
            arrays = _read_arrays(data)
            block = cls()
            keys = [*_read_genotypes(arrays)]
            values = [
                tuple(own[~np.isnan(own)].tolist()) for own in arrays["value"].astype(np.float64)
            ]
            columns = (arrays[name].tolist() for name in ("generation", "individual", "fitness"))
            for generation, rows, fitness in zip(*columns, strict=True):
                members = (
                    Member(dict(keys[row]), float(own), values[row])
                    for row, own in zip(rows, fitness, strict=True)
                )
                block.add(int(generation), [*members])
        except (ValueError, KeyError, IndexError, TypeError, OSError, zipfile.BadZipFile) as error:
            raise DsgecError(f"{source} is not a block of populations: {error}") from error
        return block


def _read_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        if any(one.compress_type != zipfile.ZIP_STORED for one in file.infolist()):
            raise ValueError("it is compressed")
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        return {name: found[name] for name in _COLUMNS}


def _read_genotypes(arrays: _Arrays) -> Iterator[Key]:
    genes = [*zip(arrays["rule"].tolist(), arrays["part"].tolist(), strict=True)]
    integers = arrays["integer"].tolist()
    at = 0
    for lengths in arrays["length"].tolist():
        found = []
        for gene, length in zip(genes, lengths, strict=True):
            if length:
                found.append((gene, tuple(integers[at : at + length - 1])))
                at += length - 1
        yield tuple(found)
    if at != len(integers):
        raise ValueError("the number of integers is wrong")


def _narrow_floats(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return numbers in the narrowest type that holds all of them exactly."""
    with np.errstate(over="ignore"):
        for kind in (np.float16, np.float32):
            if np.array_equal(values.astype(kind).astype(np.float64), values, equal_nan=True):
                return values.astype(kind)
    return values


def _narrow(values: NDArray[np.int64]) -> NDArray[Any]:
    """Return whole numbers in the narrowest type that holds all of them."""
    if not values.size:
        return values.astype(np.uint8)
    low, high = int(values.min()), int(values.max())
    kind = np.promote_types(np.min_scalar_type(low), np.min_scalar_type(high))
    return values.astype(kind)


class PopulationLog:
    """Adds each generation of a run to a block, in memory or, with a folder, in files there.

    A block that is not full is written again and again; `flush` brings its file up to date.
    """

    def __init__(
        self, folder: Folder | None = None, given: Mapping[str, bytes] = MappingProxyType({})
    ) -> None:
        self.folder = folder
        self._block, self._blocks = Block(), dict(given)

    def resume(self, generation: int) -> None:
        """Continue after a generation, or begin after -1; what follows it is removed."""
        for name in [*self.names()]:
            if int(name[-10:-4]) * BLOCK > generation:
                self._remove(name)
        self._block = Block()
        if generation >= 0:
            self._block = self.read(generation).cut(generation)

    def add(self, evolver: Evolver, generation: int) -> None:
        """Add the last complete generation of an evolver."""
        if self._block.generations and generation % BLOCK == 0:
            self._block = Block()
        self._block.add(generation, population_of(evolver))
        if generation % BLOCK == BLOCK - 1:
            self.flush()

    def flush(self) -> None:
        """Write the last block as it is now."""
        if not self._block.generations:
            return
        name, data = block_name(self._block.generations[-1]), bytes(self._block)
        if self.folder is None:
            self._blocks[name] = data
        else:
            self.folder.write(name, data)

    def names(self) -> Iterator[str]:
        """Yield the names of all blocks, in order."""
        if self.folder is None:
            yield from self._blocks
        elif self.folder.has_folder(POPULATIONS):
            with self.folder.below(POPULATIONS) as inside:
                yield from (
                    f"{POPULATIONS}/{name}"
                    for name in inside.names()
                    if len(name) == 10 and name[:6].isdigit() and name.endswith(".npz")
                )

    def data(self, name: str) -> bytes:
        """Return the bytes of a block."""
        return self._blocks[name] if self.folder is None else self.folder.read(name, _MOST_BYTES)

    def _remove(self, name: str) -> None:
        if self.folder is None:
            del self._blocks[name]
        else:
            self.folder.remove(name)

    def read(self, generation: int) -> Block:
        """Return the block with a generation, or raise a DsgecError if there is none."""
        name = block_name(generation)
        block = Block.parse(self.data(name), name) if name in self.names() else Block()
        if generation not in block.generations:
            raise DsgecError(
                f"there is no population of generation {generation}",
                '`--log populations` (`log="populations"`) logs all generations of a run.',
            )
        return block

    def files(self) -> dict[str, bytes]:
        """Return all blocks by name."""
        return {name: self.data(name) for name in self.names()}


def read_log(folder: Folder) -> dict[str, bytes]:
    """Return the logged populations of a run's folder and the genealogy of its best, by name."""
    genealogy = {GENEALOGY: folder.read(GENEALOGY, _MOST_BYTES)} if folder.has(GENEALOGY) else {}
    return {**PopulationLog(folder).files(), **genealogy}


def population_of(evolver: Evolver) -> list[Member]:
    """Return the individuals of an evolver; those of islands follow one another."""
    if isinstance(evolver, IslandEvolver):
        return [one for island in evolver.islands for one in island.members()]
    assert isinstance(evolver, Island)
    return evolver.members()


def sort_genotype(genotype: Genotype) -> Key:
    """Return a genotype in the form of a Key."""
    return tuple(sorted((gene, tuple(own)) for gene, own in genotype.items()))
