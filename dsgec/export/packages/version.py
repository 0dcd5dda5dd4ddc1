"""An artefact to the version of its packages."""

import re

from dsgec.export.artefact import DTYPES, Artefact


def base_version(artefact: Artefact) -> str:
    """Three numbers, those of the dsgec that made it: what every tool can read."""
    numbers = re.findall(r"\d+", artefact.version.split("+")[0])
    return ".".join([*numbers, "0", "0", "0"][:3])


def full_version(artefact: Artefact, base: str = "") -> str:
    """The same and, behind a `+`, the model: other models and types are other versions."""
    base = base or artefact.version
    local = (
        artefact.model_id
        if artefact.dtype == DTYPES[0]
        else f"{artefact.model_id}.{artefact.dtype}"
    )
    return f"{base}+{local}"
