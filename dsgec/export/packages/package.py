"""What a package is: the files of a target, laid out in one archive as a tool takes them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dsgec.errors import DsgecError, mention
from dsgec.export.artefact import Artefact
from dsgec.export.packages.archive import pack, unpack_first
from dsgec.export.targets.target import Build, Files, Target


@dataclass(frozen=True, slots=True)
class Package:
    """An archive, whose name is `file`; its `entries` are made of what the target made.

    The first entry carries the metadata, as the target has it. `known_by` is how the name of
    another one ends, by which tools recognise such an archive. Names of artefacts that are `taken`
    would hide something of the tool's. `notes` are about types of numbers.
    """

    target: Target
    file: Callable[[Artefact], str]
    entries: Callable[[Artefact, Files], Files]
    known_by: str
    suffix: str = ".zip"
    taken: frozenset[str] = frozenset()
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def dtypes(self) -> tuple[str, ...]:
        return self.target.dtypes

    @property
    def mark(self) -> bytes:
        return self.target.mark

    @property
    def build(self) -> Build | None:
        return self.target.build

    def read(self, data: bytes) -> Any:
        """The metadata of what is inside; None where there are none."""
        first = unpack_first(data, self.known_by)
        return None if first is None else self.target.read(first)

    def make(self, artefact: Artefact, made: Files | None = None) -> Files:
        """The archive, of the files that the target made or makes."""
        if artefact.name in self.taken:
            raise DsgecError(
                f"a package cannot be named `{artefact.name}`: its tool uses that name",
                f"Choose another with {mention('name')}.",
            )
        entries = self.entries(artefact, self.target.make(artefact) if made is None else made)
        return (pack(self.file(artefact), entries),)
