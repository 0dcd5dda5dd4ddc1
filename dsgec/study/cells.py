"""Study to its cells: representations × grammars × data sets × seeds."""

from collections.abc import Iterator
from dataclasses import replace

from dsgec.study.ir import Cell, Study


def cells(study: Study) -> Iterator[Cell]:
    """Every run, seed by seed: after the first round, one of each kind has been seen."""
    for number in range(study.runs):
        for part in study.parts:
            for data, generations in zip(part.data, part.generations, strict=True):
                for grammar in part.grammars:
                    for settings in part.settings:
                        own = replace(settings, generations=generations, seed=study.seed + number)
                        yield Cell(part.name, grammar, data, own)
