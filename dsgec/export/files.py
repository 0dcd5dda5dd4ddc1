"""A model to files that can be used without dsgec."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dsgec.errors import DsgecError, mention, wrong
from dsgec.export.artefact import DTYPES, QUICK, Artefact
from dsgec.export.check import require_selftest
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.packages.package import Package
from dsgec.export.packages.registry import PACKAGES, WHEEL, maker_of
from dsgec.export.targets.target import TARGETS, Files, Target
from dsgec.folder import Folder, writable
from dsgec.manifest import write_files
from dsgec.network.model import Model
from dsgec.network.ranges import NO_RANGES, Range, choose_ranges, refuse_ranges


def run_artefact(model: Model, name: str) -> Artefact:
    """The artefact whose exports a run writes into its folder.

    A run does not wait for the last of the self-test; `dsgec export` searches on.
    """
    return Artefact(model, name, selftest=QUICK)


def parse_targets(text: str) -> tuple[str, ...]:
    """The targets of a list such as `c,numpy`."""
    targets = _listed(text, "target", TARGETS)
    if not targets:
        raise DsgecError(f"no target is named; choose from {', '.join(TARGETS)}")
    return targets


def parse_packages(text: str) -> tuple[str, ...]:
    """The packages of a list such as `arduino,cmake`, or none."""
    return _listed(text, "package", PACKAGES)


def _listed(text: str, kind: str, known: Iterable[str]) -> tuple[str, ...]:
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
    wheel: bool = False,
    ranges: Mapping[str, Range] = NO_RANGES,
    recorded: Sequence[Range | None] = (),
    check: bool = True,
) -> list[Path]:
    """Write the files of every target and every package; gives their paths.

    `wheel`: also that package, of what one of the targets makes. For fixed point, `ranges` has
    those of columns by name, `recorded` the training rows' of all. With `check`, their self-tests
    are run as far as this machine can, and nothing is written if one fails.
    """
    if wheel:
        packages = (*packages, _wheel(targets))
    checked = is_checked(targets, packages, check=check)
    artefact = make_artefact(model, name, dtype, ranges, recorded, checked)
    exports = make_exports(artefact, targets, packages)
    for maker, (target, files) in exports.made.items() if check else ():
        require_selftest(artefact, maker, target, files)
    with writable(folder) as opened:
        _refuse_hidden(exports.files, name, opened)
        write_files(opened, exports.files)
    return [folder / path for path in exports.files]


def is_checked(
    targets: Sequence[str], packages: Sequence[str], *, check: bool = True
) -> bool | None:
    """Return what the files of an export say about it: whether their self-test is run here.

    None where no target is among them whose files say so.
    """
    able = [_target_of(name).can_check for name in (*targets, *packages)]
    said = [can_check for can_check in able if can_check is not None]
    return check and all(can_check() for can_check in said) if said else None


def make_artefact(
    model: Model,
    name: str,
    dtype: str,
    ranges: Mapping[str, Range] = NO_RANGES,
    recorded: Sequence[Range | None] = (),
    checked: bool | None = None,
) -> Artefact:
    """The model with its numbers; see `export`."""
    chosen: tuple[Range | None, ...] = ()
    if dtype in STORED_BITS:
        chosen = choose_ranges(model.columns, recorded, ranges)
    else:
        refuse_ranges(ranges, dtype)
    return Artefact(model, name, dtype, ranges=chosen, checked=checked)


def _wheel(targets: Sequence[str]) -> str:
    """The package of that name, if what it is made of is exported, too."""
    if not any(TARGETS[target] == PACKAGES[WHEEL].target for target in targets):
        able = [each for each in TARGETS if TARGETS[each] == PACKAGES[WHEEL].target]
        raise wrong(
            "wheel", f"needs the target {', '.join(able)}", f"Use {mention('to', *able)} with it."
        )
    return WHEEL


@dataclass(frozen=True, slots=True)
class Exports:
    """The files to be written, by their names, and what each target made.

    `made` has a target and its files by the name of the first target or package that needs them.
    """

    files: dict[str, str | bytes] = field(default_factory=dict)
    made: dict[str, tuple[Target, Files]] = field(default_factory=dict)

    def without(self, makers: Iterable[str]) -> dict[str, str | bytes]:
        """Return the files but for those of some targets."""
        left_out = {file.name for maker in makers for file in self.made[maker][1]}
        return {name: text for name, text in self.files.items() if name not in left_out}


def _target_of(name: str) -> Target:
    """The target of this name, or that of a package."""
    maker = maker_of(name)
    return maker.target if isinstance(maker, Package) else maker


def make_exports(
    artefact: Artefact, targets: Sequence[str], packages: Sequence[str] = ()
) -> Exports:
    """Make the files of every target and every package; nothing is written."""
    exports = Exports()
    made: dict[Target, Files] = {}
    files = exports.files
    for name in (*targets, *dict.fromkeys(packages)):
        maker, target = maker_of(name), _target_of(name)
        if artefact.dtype not in maker.dtypes:
            kind = PACKAGES if isinstance(maker, Package) else TARGETS
            able = ", ".join(each for each in kind if artefact.dtype in kind[each].dtypes)
            raise DsgecError(
                f"`{name}` cannot be of the type {artefact.dtype}",
                f"Use {mention('dtype', *maker.dtypes)}. These support {artefact.dtype}: {able}.",
            )
        if target not in made:
            made[target] = target.make(artefact)
            exports.made[name] = target, made[target]
        own = maker.make(artefact, made[target]) if isinstance(maker, Package) else made[target]
        for file in own:
            if file.name in files:
                raise DsgecError(
                    f"two of the targets {', '.join(targets)} would write {file.name}",
                    "Export them to different folders, or under different names.",
                )
            files[file.name] = file.text
    return exports


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
    return [folder.path / file for file in file_names(targets, name) if folder.has_file(file)]


def file_names(targets: Sequence[str], name: str) -> list[str]:
    """The files that an export of this name writes, without those that are built."""
    return [file.format(name) for target in targets for file in TARGETS[target].files]
