"""A model to files that can be used without dsgec."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dsgec.codegen.artefact import DTYPES, Artefact
from dsgec.errors import DsgecError, mention, wrong
from dsgec.fixed.columns import Range
from dsgec.fixed.ir import STORED_BITS
from dsgec.fixed.ranges import chosen_ranges, refuse_ranges
from dsgec.folder import Folder, writable
from dsgec.network.model import Model
from dsgec.run.manifest import write_files
from dsgec.targets.registry import TARGETS

NO_RANGES: Mapping[str, Range] = {}


def parse_targets(text: str) -> tuple[str, ...]:
    """The targets of a list such as `c,numpy`."""
    targets = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [target for target in targets if target not in TARGETS]
    if unknown or not targets:
        what = f"unknown target `{unknown[0]}`" if unknown else "no target is named"
        raise DsgecError(f"{what}; choose from {', '.join(TARGETS)}")
    return targets


def export(
    model: Model,
    targets: Sequence[str],
    name: str,
    folder: Path,
    dtype: str = DTYPES[0],
    *,
    wheel: bool = False,
    ranges: Mapping[str, Range] = NO_RANGES,
    recorded: Sequence[Range | None] = (),
) -> list[Path]:
    """Write the files of every target; gives their paths. `wheel`: also one of what is built.

    For fixed point, `ranges` has those of columns by name, `recorded` the training rows' of all.
    """
    artefact = make_artefact(model, name, dtype, ranges, recorded)
    files = artefact_files(artefact, targets, wheel=wheel)
    with writable(folder) as opened:
        _refuse_hidden(files, name, opened)
        write_files(opened, files)
    return [folder / path for path in files]


def make_artefact(
    model: Model,
    name: str,
    dtype: str,
    ranges: Mapping[str, Range] = NO_RANGES,
    recorded: Sequence[Range | None] = (),
) -> Artefact:
    """The model with its numbers; see `export`."""
    if dtype not in STORED_BITS:
        refuse_ranges(ranges, dtype)
        return Artefact(model, name, dtype)
    return Artefact(model, name, dtype, ranges=chosen_ranges(model.columns, recorded, ranges))


def artefact_files(
    artefact: Artefact, targets: Sequence[str], *, wheel: bool = False
) -> dict[str, str | bytes]:
    """The files of every target, by their names."""
    dtype = artefact.dtype
    if wheel and not any(TARGETS[target].build for target in targets):
        built = [each for each in TARGETS if TARGETS[each].build]
        raise wrong(
            "wheel", f"needs the target {', '.join(built)}", f"Use {mention('to', *built)} with it."
        )
    files: dict[str, str | bytes] = {}
    for name in targets:
        target = TARGETS[name]
        if dtype not in target.dtypes:
            able = ", ".join(each for each in TARGETS if dtype in TARGETS[each].dtypes)
            raise DsgecError(
                f"`{name}` cannot be of the type {dtype}",
                f"Use {mention('dtype', *target.dtypes)}. Of the type {dtype} can be: {able}.",
            )
        made = target.make(artefact)
        wheels = [target.build.wheel(artefact, made)] if wheel and target.build else []
        for file in (*made, *wheels):
            if file.name in files:
                raise DsgecError(
                    f"two of the targets {', '.join(targets)} would write {file.name}",
                    "Export them to different folders, or under different names.",
                )
            files[file.name] = file.text
    return files


def _refuse_hidden(files: Iterable[str], name: str, folder: Folder) -> None:
    """Of a module and a package of one name in one folder, Python finds the package only."""
    module, package = f"{name}.py", f"{name}/__init__.py"
    both = [file for file in (module, package) if file in files or folder.has(file)]
    if len(both) == 2 and not {module, package}.isdisjoint(files):
        raise DsgecError(
            f"in {folder.path}, the package {name}/ would hide the module {module}",
            "Export them to different folders, or under different names.",
        )


def exported(targets: Sequence[str], name: str, folder: Folder) -> list[Path]:
    """The files that such an export has written there, those that still are."""
    files = [file.format(name) for target in targets for file in TARGETS[target].files]
    return [folder.path / file for file in files if folder.has_file(file)]
