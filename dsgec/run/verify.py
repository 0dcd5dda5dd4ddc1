"""An exported artefact to the proof that it is what dsgec makes of the model inside.

Files are compared as text. Only what is byte for byte ours is ever compiled, imported or run.
"""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from dsgec import __version__
from dsgec.codegen.artefact import SourceFile
from dsgec.data.ir import Table
from dsgec.errors import DsgecError
from dsgec.run.artefacts import Found, find_artefacts
from dsgec.run.package import package_compiler
from dsgec.run.predict import model_rows
from dsgec.run.record import read_model
from dsgec.run.trial import try_out


def verify(path: Path, table: Table | None = None) -> list[str]:
    """What was proved, a line for each artefact; a DsgecError tells what could not be."""
    found = find_artefacts(path)
    if (path / "run.json").exists():
        model, _ = read_model(path)
        for one in found:
            if one.artefact.model != model:
                raise DsgecError(f"{one.path} is not of the run that {path} holds")
    return [line for one in found for line in _verify(one, table)]


def _verify(found: Found, table: Table | None) -> list[str]:
    files = {target: found.emitted(target) for target in found.targets}
    differences = {target: _difference(found, target, files[target]) for target in files}
    same = [target for target in found.targets if not differences[target]]
    if not same:
        made = found.artefact.version
        advice = "Nothing of it was run." + (
            f" It was made by dsgec {made}, and this is {__version__}: use that one to verify it."
            if made != __version__
            else ""
        )
        raise DsgecError(_nearest(differences), advice)
    target = same[0]
    lines = [
        f"{found.path}: {target}, {found.artefact.dtype}, model {found.artefact.model_id}:"
        f" every byte is what dsgec makes of the model inside"
    ]
    if table is not None:
        rows = model_rows(found.artefact.model, table)
        how = try_out(found.artefact, target, files[target], rows)
        lines.append(f"{found.path}: {len(rows)} rows of {table.source} {how}")
    return lines


def _difference(found: Found, target: str, files: Sequence[SourceFile]) -> str:
    """Where the files differ from what the target makes; empty if nowhere."""
    wanted = found.wanted(files)
    given = found.given(wanted)
    differ = [name for name, data in wanted.items() if given.get(name) != data]
    missing = [name for name in differ if name not in given]
    built = [name for name in differ if name.endswith(".so")]
    texts = [name for name in differ if name not in built and not name.endswith("/RECORD")]
    what = "this is not what dsgec makes of the model inside"
    if missing:
        return f"cannot read {found.place(missing[0])}: it is not there"
    if texts and target != "onnx":
        pairs = zip_longest(given[texts[0]].split(b"\n"), wanted[texts[0]].split(b"\n"))
        line = next(number for number, (a, b) in enumerate(pairs, 1) if a != b)
        return f"{found.place(texts[0])}:{line}: {what}"
    if built:
        return (
            f"{found.place(built[0])}: not what {package_compiler().identity} makes of the model"
            " inside: it was built by another compiler, or changed; its Python is ours, the"
            " extension cannot be proved here"
        )
    strange = [*differ, *(name for name in given if name not in wanted)]
    return f"{found.place(strange[0])}: {what}" if strange else ""


def _nearest(differences: dict[str, str]) -> str:
    """Of several targets that could have made a file, the one that agrees with it longest."""

    def line(message: str) -> int:
        place = message.split(": ")[0].rpartition(":")[2]
        return int(place) if place.isdecimal() else 0

    return max(differences.values(), key=line)
