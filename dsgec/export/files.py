"""Export a model: write files that can be used without dsgec."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dsgec.errors import DsgecError, mention
from dsgec.export.artefact import AUTO, DTYPES, FLAT, PACKED, QUICK, Artefact, with_smaller_layout
from dsgec.export.check import require_selftest
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.packages import DESCRIPTIONS
from dsgec.export.targets.target import TARGETS, Files, Target
from dsgec.folder import Folder, open_writable
from dsgec.manifest import write_files
from dsgec.network.cost.chips import DEFAULT_CHIP
from dsgec.network.in_use import columns_in_use, in_use
from dsgec.network.model import Model
from dsgec.network.ranges import NO_RANGES, Range, choose_ranges, refuse_ranges

if TYPE_CHECKING:
    from dsgec.export.packages.package import Package

LARGE = 40_000
"""The operations of a network from which on compilers take minutes for its flat layout."""


def run_artefact(model: Model, name: str) -> Artefact:
    """Return the artefact whose exports a run writes into its folder.

    Its self-test rows are searched quickly; `dsgec export` searches longer.
    """
    return Artefact(in_use(model), name, selftest=QUICK)


def parse_targets(text: str) -> tuple[str, ...]:
    """Parse a list of targets such as `c,numpy`."""
    targets = _split_names(text, "target", TARGETS)
    if not targets:
        raise DsgecError(f"no target is named; choose from {', '.join(TARGETS)}")
    return targets


def parse_packages(text: str) -> tuple[str, ...]:
    """Parse a list of packages such as `arduino,cmake`, which may be empty."""
    return _split_names(text, "package", DESCRIPTIONS)


def _split_names(text: str, kind: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the names in a list with commas, or raise an error for an unknown one."""
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise DsgecError(f"unknown {kind} `{unknown[0]}`; choose from {', '.join(known)}")
    return names


def export(
    model: Model,
    targets: Sequence[str],
    name: str,
    folder: Path,
    dtype: str = DTYPES[0],
    *,
    packages: Sequence[str] = (),
    ranges: Mapping[str, Range] = NO_RANGES,
    recorded: Sequence[Range | None] = (),
    check: bool = True,
    layout: str = AUTO,
    chip: str = DEFAULT_CHIP,
) -> list[Path]:
    """Write the files of every target and package; return their paths.

    For fixed point, `ranges` has ranges of columns by name, `recorded` those of the training rows
    for all columns. `layout` is that of all source code; `auto` chooses the one that takes less
    flash on the chip, by the estimate for C in fixed point, and otherwise the flat one; networks of
    more than LARGE operations are packed, because compilers take minutes for flat ones. With
    `check`, the self-tests are run as far as this machine can, and nothing is written if one fails.
    """
    checked = is_checked(targets, packages, check=check)
    makers = [_target_of(each) for each in (*targets, *packages)]
    if layout == AUTO and TARGETS["c"] not in makers:
        layout = _layout_by_size(model)  # the estimates are those of C
    artefact = make_artefact(model, name, dtype, ranges, recorded, checked, layout, chip)
    exports = make_exports(artefact, targets, packages)
    for maker, (target, files) in exports.made.items() if check else ():
        require_selftest(artefact, maker, target, files)
    with open_writable(folder) as opened:
        _refuse_hidden(exports.files, name, opened)
        write_files(opened, exports.files)
    return [folder / path for path in exports.files]


def is_checked(
    targets: Sequence[str], packages: Sequence[str], *, check: bool = True
) -> bool | None:
    """Return whether the files of an export will state that their self-test was run here.

    It is None if none of the targets states it.
    """
    able = [_target_of(name).can_check for name in (*targets, *packages)]
    stated = [can_check for can_check in able if can_check is not None]
    return check and all(can_check() for can_check in stated) if stated else None


def make_artefact(
    model: Model,
    name: str,
    dtype: str,
    ranges: Mapping[str, Range] = NO_RANGES,
    recorded: Sequence[Range | None] = (),
    checked: bool | None = None,
    layout: str = AUTO,
    chip: str = DEFAULT_CHIP,
) -> Artefact:
    """Return the artefact of a model in a number format; see `export`."""
    chosen: tuple[Range | None, ...] = ()
    if dtype in STORED_BITS:
        whole = choose_ranges(model.columns, recorded, ranges)
        chosen = tuple(whole[number] for number in columns_in_use(model)) if whole else ()
    else:
        refuse_ranges(ranges, dtype)
    model = in_use(model)
    own = _layout_by_size(model) if layout == AUTO else layout
    artefact = Artefact(model, name, dtype, ranges=chosen, checked=checked, layout=own)
    is_chosen = layout == AUTO and dtype in STORED_BITS and own == FLAT
    return with_smaller_layout(artefact, chip) if is_chosen else artefact


def _layout_by_size(model: Model) -> str:
    return PACKED if len(model.network.nodes) > LARGE else FLAT


@dataclass(frozen=True, slots=True)
class Exports:
    """The files to be written, by name, and the files of each target.

    `made` has targets with their files, by the name of the first target or package that needs them.
    """

    files: dict[str, str | bytes] = field(default_factory=dict)
    made: dict[str, tuple[Target, Files]] = field(default_factory=dict)

    def without(self, makers: Iterable[str]) -> dict[str, str | bytes]:
        """Return the files, except for those of some targets."""
        left_out = {file.name for maker in makers for file in self.made[maker][1]}
        return {name: text for name, text in self.files.items() if name not in left_out}


def _maker_of(name: str) -> "Target | Package":
    """Return the target or the package of this name; few exports need a package."""
    if name in TARGETS:
        return TARGETS[name]
    from dsgec.export.packages.registry import PACKAGES

    return PACKAGES[name]


def _target_of(name: str) -> Target:
    """Return the target of this name, or of the package of this name."""
    maker = _maker_of(name)
    return maker if isinstance(maker, Target) else maker.target


def make_exports(
    artefact: Artefact, targets: Sequence[str], packages: Sequence[str] = ()
) -> Exports:
    """Make the files of every target and package, without writing them."""
    exports = Exports()
    made: dict[Target, Files] = {}
    files = exports.files
    for name in (*targets, *dict.fromkeys(packages)):
        maker, target = _maker_of(name), _target_of(name)
        if artefact.dtype not in maker.dtypes:
            kind = TARGETS if maker is target else DESCRIPTIONS
            able = ", ".join(each for each in kind if artefact.dtype in _maker_of(each).dtypes)
            raise DsgecError(
                f"`{name}` cannot be of the type {artefact.dtype}",
                f"Use {mention('dtype', *maker.dtypes)}. These support {artefact.dtype}: {able}.",
            )
        if target not in made:
            made[target] = target.make(artefact)
            exports.made[name] = target, made[target]
        own = made[target]
        if not isinstance(maker, Target):
            own = maker.make(artefact, own)
        for file in own:
            if file.name in files:
                raise DsgecError(
                    f"two of the targets {', '.join(targets)} would write {file.name}",
                    "Export them to different folders, or under different names.",
                )
            files[file.name] = file.text
    return exports


def _refuse_hidden(files: Iterable[str], name: str, folder: Folder) -> None:
    """Raise a DsgecError if a package would hide a module of the same name from Python."""
    module, package = f"{name}.py", f"{name}/__init__.py"
    both = [file for file in (module, package) if file in files or folder.has(file)]
    if len(both) == 2 and not {module, package}.isdisjoint(files):
        raise DsgecError(
            f"in {folder.path}, the package {name}/ would hide the module {module}",
            "Export them to different folders, or under different names.",
        )


def exported_paths(targets: Sequence[str], name: str, folder: Folder) -> list[Path]:
    """Return the paths of the files of an export that exist in a folder."""
    return [folder.path / file for file in file_names(targets, name) if folder.has_file(file)]


def file_names(targets: Sequence[str], name: str) -> list[str]:
    """Return the names of the files that an export writes, without those that are built."""
    return [file.format(name) for target in targets for file in TARGETS[target].files]
