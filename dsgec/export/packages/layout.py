"""The entries of packages: the files of a target, and files that templates print beside them."""

import base64
import hashlib
import re
import sysconfig
from collections.abc import Iterator
from importlib.resources.abc import Traversable

from dsgec.engine.extension import ABI_TAG
from dsgec.export.artefact import DTYPES, Artefact, SourceFile
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.targets.target import Files, Target
from dsgec.export.view import TemplateView, used_columns
from dsgec.rendering import Code, render
from dsgec.resources import TEMPLATES

_RATE = 50.0  # samples a second, if the log had no time
_NAME = "NAME"  # stands for the artefact's name in the names of templates


class PackageView:
    """An artefact as the templates of packages see it."""

    def __init__(self, artefact: Artefact) -> None:
        model, is_integer = artefact.model, artefact.dtype in STORED_BITS
        self.name, self.macro = artefact.name, artefact.name.upper()
        self.model_id, self.maker = artefact.model_id, Code(f"dsgec {artefact.version}")
        # The version of the dsgec that made it as three numbers, which every tool can read; as in
        # semantic versioning, the model follows behind a `+`.
        numbers = re.findall(r"\d+", artefact.version.split("+")[0])
        self.numbers = Code(".".join([*numbers, "0", "0", "0"][:3]))
        self.version = Code(_full_version(artefact, self.numbers))
        self.dtype, self.is_double = Code(artefact.dtype), artefact.dtype == "double"
        self.is_integer = is_integer
        # The types of what a row and its results have in C.
        self.number = Code(f"{self.name}_{'number' if is_integer else 'real'}")
        self.result = Code(f"{self.name}_{'result' if is_integer else 'real'}")
        # The columns that the network reads, with their names.
        self.inputs = [(number, model.columns[number].name) for number in used_columns(artefact)]
        self.has_classes = model.is_classifier
        # The length of a row; C has no arrays without elements.
        self.row = Code(f"{self.macro}_FEATURES" if model.columns else "1")
        # Of a stream: microseconds between samples, and whether they are the log's own numbers.
        self.stream, signal = TemplateView(artefact).stream, model.signal
        rate = (signal and signal.rate) or _RATE
        self.period = round(1e6 / rate)
        channels = signal.channels if signal else ()
        self.is_plain = all((one.offset, one.scale) == (0.0, 1.0) for one in channels)


def layout(kind: str, target: Target, folder: str, artefact: Artefact, files: Files) -> Files:
    """Return the files of a target, in `folder`, and those that the templates of a package print.

    The file with the metadata comes first, the others in the order of their names.
    """
    name = artefact.name
    main = target.files[0].format(name)
    view = PackageView(artefact)
    printed = [
        SourceFile(path.replace(_NAME, name), render(f"packages/{kind}/{path}.j2", p=view))
        for path in _templates(TEMPLATES.joinpath("packages", kind))
    ]
    made = [SourceFile(f"{folder}{file.name}", file.text) for file in files]
    ordered = sorted((*made, *printed), key=lambda file: (file.name != folder + main, file.name))
    return tuple(SourceFile(f"{name}/{file.name}", file.text) for file in ordered)


def wheel_file(artefact: Artefact) -> str:
    """Return the name of a wheel, which states where it runs."""
    return f"{artefact.name}-{_full_version(artefact)}-{_tag()}.whl"


def wheel_entries(artefact: Artefact, files: Files) -> Files:
    """Return the entries of a wheel, for every Python of this platform."""
    version = _full_version(artefact)
    info = f"{artefact.name}-{version}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: {artefact.name}\nVersion: {version}\n"
        f"Summary: A neural network, compiled.\nRequires-Python: >=3.9\n"
        f"Requires-Dist: cffi\n"
    )
    wheel = (
        f"Wheel-Version: 1.0\nGenerator: dsgec {artefact.version}\n"
        f"Root-Is-Purelib: false\nTag: {_tag()}\n"
    )
    content = (
        *files,
        SourceFile(f"{info}/METADATA", metadata),
        SourceFile(f"{info}/WHEEL", wheel),
    )
    lines = [f"{file.name},{_digest(file.text)}" for file in content]
    record = "\n".join([*lines, f"{info}/RECORD,,", ""])
    return (*content, SourceFile(f"{info}/RECORD", record))


def _full_version(artefact: Artefact, base: str = "") -> str:
    """Return a version and, behind a `+`, the model and its type, if that is not double."""
    local = (
        artefact.model_id
        if artefact.dtype == DTYPES[0]
        else f"{artefact.model_id}.{artefact.dtype}"
    )
    return f"{base or artefact.version}+{local}"


def _templates(folder: Traversable, start: str = "") -> Iterator[str]:
    """Yield the files that the templates of a folder, and of those in it, print."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _templates(entry, f"{start}{entry.name}/")
        else:
            yield start + entry.name.removesuffix(".j2")


def _tag() -> str:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{ABI_TAG}-{platform}"


def _digest(content: str | bytes) -> str:
    data = content.encode("utf-8") if isinstance(content, str) else content
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
    return f"sha256={digest},{len(data)}"
