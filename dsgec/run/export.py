"""A model to files that can be used without dsgec."""

from collections.abc import Sequence
from pathlib import Path

from dsgec.codegen.emit import TARGETS
from dsgec.errors import DsgecError
from dsgec.network.model import Model
from dsgec.run.files import write_whole


def parse_targets(text: str) -> tuple[str, ...]:
    """The targets of a list such as `c,numpy`."""
    targets = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [target for target in targets if target not in TARGETS]
    if unknown or not targets:
        what = f"`{unknown[0]}` is no target" if unknown else "no target is named"
        raise DsgecError(what, f"There are {', '.join(TARGETS)}.")
    return targets


def export(model: Model, targets: Sequence[str], name: str, folder: Path) -> list[Path]:
    """Write the source files of every target; gives their paths."""
    files = [file for target in targets for file in TARGETS[target](model, name)]
    for file in files:
        write_whole(folder / file.name, file.text)
    return [folder / file.name for file in files]
