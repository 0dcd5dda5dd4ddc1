"""The targets by their names, from the folders that the package lists."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from dsgec.export.targets import DESCRIPTIONS
from dsgec.export.targets.target import Target


class _Targets(Mapping[str, Target]):
    """A target is imported when it is asked for: a run needs two of them, and they are many."""

    def __getitem__(self, name: str) -> Target:
        if name not in DESCRIPTIONS:
            raise KeyError(name)
        target: Target = import_module(f"dsgec.export.targets.{name}").TARGET
        return target

    def __iter__(self) -> Iterator[str]:
        return iter(DESCRIPTIONS)

    def __len__(self) -> int:
        return len(DESCRIPTIONS)

    def __contains__(self, name: object) -> bool:
        return name in DESCRIPTIONS


TARGETS: Mapping[str, Target] = _Targets()
