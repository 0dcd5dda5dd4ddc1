"""A model to files that can be used without dsgec."""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from dsgec.codegen.artefact import DTYPES, Artefact
from dsgec.codegen.targets import TARGETS
from dsgec.errors import DsgecError
from dsgec.network.model import Model
from dsgec.run.files import remove_if_empty, write_whole
from dsgec.run.package import build_package, build_wheel


def parse_targets(text: str) -> tuple[str, ...]:
    """The targets of a list such as `c,numpy`."""
    targets = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [target for target in targets if target not in TARGETS]
    if unknown or not targets:
        what = f"`{unknown[0]}` is no target" if unknown else "no target is named"
        raise DsgecError(what, f"There are {', '.join(TARGETS)}.")
    return targets


def export(
    model: Model,
    targets: Sequence[str],
    name: str,
    folder: Path,
    dtype: str = DTYPES[0],
    *,
    wheel: bool = False,
) -> list[Path]:
    """Write the files of every target; gives their paths. `wheel`: also one of what is built."""
    if wheel and not any(TARGETS[target].is_built for target in targets):
        raise DsgecError("--wheel goes with the target cffi", "Say `--to cffi --wheel`.")
    artefact = Artefact(model, name, dtype)
    files: dict[str, str | bytes] = {}
    for target in targets:
        if dtype not in TARGETS[target].dtypes:
            able = ", ".join(each for each in TARGETS if dtype in TARGETS[each].dtypes)
            raise DsgecError(f"`{target}` cannot be of the type {dtype}", f"These can: {able}.")
        emitted = TARGETS[target].emit(artefact)
        if TARGETS[target].is_built:
            emitted = build_package(artefact, emitted)
            if wheel:
                emitted += (build_wheel(artefact, emitted),)
        for file in emitted:
            if file.name in files:
                raise DsgecError(
                    f"two of the targets {', '.join(targets)} would write {file.name}",
                    "Export them to different folders with -o, or under different names.",
                )
            files[file.name] = file.text
    _refuse_hidden(files, name, folder)
    for path, text in files.items():
        write_whole(folder / path, text)
    return [folder / path for path in files]


def _refuse_hidden(files: Iterable[str], name: str, folder: Path) -> None:
    """Of a module and a package of one name in one folder, Python finds the package only."""
    module, package = f"{name}.py", f"{name}/__init__.py"
    both = [file for file in (module, package) if file in files or (folder / file).exists()]
    if len(both) == 2 and not {module, package}.isdisjoint(files):
        raise DsgecError(
            f"in {folder}, the package {name}/ would hide the module {module}",
            "Export them to different folders with -o, or under different names.",
        )


def exported(targets: Sequence[str], name: str, folder: Path) -> list[Path]:
    """The files that such an export has written there, those that still are."""
    files = [folder / file.format(name) for target in targets for file in TARGETS[target].files]
    return [path for path in files if path.is_file()]


def remove_exports(folder: Path, name: str) -> None:
    """Take away what any target wrote under this name."""
    for target in TARGETS.values():
        for file in target.files:
            (folder / file.format(name)).unlink(missing_ok=True)
        if target.is_built:
            for wheel in folder.glob(f"{name}-*.whl"):
                wheel.unlink(missing_ok=True)
            shutil.rmtree(folder / name / "__pycache__", ignore_errors=True)
            remove_if_empty(folder / name)
