"""The files of a target, and a folder of templates, to what an archive holds."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.packages.version import base_version, full_version
from dsgec.export.targets.target import Files, Target
from dsgec.network.ir import Input
from dsgec.rendering import Code, render
from dsgec.resources import TEMPLATES

_NAME = "NAME"  # in the name of a template: the artefact's


@dataclass(frozen=True, slots=True)
class PackageView:
    """What the templates of packages see of an artefact."""

    artefact: Artefact

    @property
    def name(self) -> str:
        return self.artefact.name

    @property
    def macro(self) -> str:
        return self.name.upper()

    @property
    def model_id(self) -> str:
        return self.artefact.model_id

    @property
    def maker(self) -> Code:
        return Code(f"dsgec {self.artefact.version}")

    @property
    def version(self) -> Code:
        """As semantic versioning has it: three numbers, and the model behind a `+`."""
        return Code(full_version(self.artefact, self.numbers))

    @property
    def numbers(self) -> Code:
        return Code(base_version(self.artefact))

    @property
    def dtype(self) -> Code:
        return Code(self.artefact.dtype)

    @property
    def is_double(self) -> bool:
        return self.artefact.dtype == "double"

    @property
    def is_integer(self) -> bool:
        return self.artefact.dtype in STORED_BITS

    @property
    def number(self) -> Code:
        """The type of what a row of the C has."""
        return Code(f"{self.name}_{'number' if self.is_integer else 'real'}")

    @property
    def result(self) -> Code:
        return Code(f"{self.name}_{'result' if self.is_integer else 'real'}")

    @property
    def used(self) -> list[int]:
        """The columns that the network reads; nobody looks at the others."""
        nodes = self.artefact.network.nodes
        return sorted(node.column for node in nodes if isinstance(node, Input))

    @property
    def inputs(self) -> list[tuple[int, str]]:
        """The columns that the network reads, with their names."""
        return [(number, self.artefact.model.columns[number].name) for number in self.used]

    @property
    def has_classes(self) -> bool:
        return self.artefact.model.is_classifier

    @property
    def columns(self) -> int:
        return len(self.artefact.model.columns)

    @property
    def row(self) -> Code:
        """The length of a row; C has no arrays of no elements."""
        return Code(f"{self.macro}_FEATURES" if self.columns else "1")


def layout(kind: str, target: Target, folder: str, artefact: Artefact, files: Files) -> Files:
    """What the target made, in `folder`, and what the templates of this kind of package print.

    The file with the metadata comes first, all others in the order of their names.
    """
    name = artefact.name
    main = target.files[0].format(name)
    first = [file for file in files if file.name == main]
    rest = [file for file in files if file.name != main]
    view = PackageView(artefact)
    printed = [
        SourceFile(path.replace(_NAME, name), render(f"packages/{kind}/{path}.j2", p=view))
        for path in _templates(TEMPLATES.joinpath("packages", kind))
    ]
    made = [SourceFile(f"{folder}{file.name}", file.text) for file in (*first, *rest)]
    ordered = [made[0], *sorted((*made[1:], *printed), key=lambda file: file.name)]
    return tuple(SourceFile(f"{name}/{file.name}", file.text) for file in ordered)


def _templates(folder: Traversable, start: str = "") -> Iterator[str]:
    """The templates of a folder and of those in it, by the names of what they print."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _templates(entry, f"{start}{entry.name}/")
        else:
            yield start + entry.name.removesuffix(".j2")
