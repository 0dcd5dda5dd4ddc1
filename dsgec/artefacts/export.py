"""A model to files that can be used without dsgec."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dsgec.codegen.artefact import DTYPES, QUICK, Artefact
from dsgec.errors import DsgecError, mention, wrong
from dsgec.fixed.columns import Range
from dsgec.fixed.ir import STORED_BITS
from dsgec.fixed.ranges import NO_RANGES, chosen_ranges, refuse_ranges
from dsgec.folder import Folder, writable
from dsgec.network.model import Model
from dsgec.packages.package import Package
from dsgec.packages.registry import PACKAGES, WHEEL, maker_of
from dsgec.run.manifest import write_files
from dsgec.targets.registry import TARGETS
from dsgec.targets.target import Files, Target


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
) -> list[Path]:
    """Write the files of every target and every package; gives their paths.

    `wheel`: also that package, of what one of the targets makes. For fixed point, `ranges` has
    those of columns by name, `recorded` the training rows' of all.
    """
    if wheel:
        packages = (*packages, _wheel(targets))
    artefact = make_artefact(model, name, dtype, ranges, recorded)
    files = artefact_files(artefact, targets, packages)
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


def _wheel(targets: Sequence[str]) -> str:
    """The package of that name, if what it is made of is exported, too."""
    if not any(TARGETS[target] == PACKAGES[WHEEL].target for target in targets):
        able = [each for each in TARGETS if TARGETS[each] == PACKAGES[WHEEL].target]
        raise wrong(
            "wheel", f"needs the target {', '.join(able)}", f"Use {mention('to', *able)} with it."
        )
    return WHEEL


def artefact_files(
    artefact: Artefact, targets: Sequence[str], packages: Sequence[str] = ()
) -> dict[str, str | bytes]:
    """The files of every target and every package, by their names."""
    made: dict[Target, Files] = {}
    files: dict[str, str | bytes] = {}
    for name in (*targets, *dict.fromkeys(packages)):
        maker = maker_of(name)
        target = maker.target if isinstance(maker, Package) else maker
        if artefact.dtype not in maker.dtypes:
            kind = PACKAGES if isinstance(maker, Package) else TARGETS
            able = ", ".join(each for each in kind if artefact.dtype in kind[each].dtypes)
            raise DsgecError(
                f"`{name}` cannot be of the type {artefact.dtype}",
                f"Use {mention('dtype', *maker.dtypes)}. These support {artefact.dtype}: {able}.",
            )
        if target not in made:
            made[target] = target.make(artefact)
        own = maker.make(artefact, made[target]) if isinstance(maker, Package) else made[target]
        for file in own:
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
    return [folder.path / file for file in file_names(targets, name) if folder.has_file(file)]


def file_names(targets: Sequence[str], name: str) -> list[str]:
    """The files that an export of this name writes, without those that are built."""
    return [file.format(name) for target in targets for file in TARGETS[target].files]
