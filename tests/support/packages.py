"""Unpack, build and run packages in tests."""

import shutil
import subprocess
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from dsgec.export.files import make_artefact
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.packages.registry import PACKAGES
from tests.support.artefacts import expected_classes, expected_results
from tests.support.hostile import KNOWN, hostile

RANGES = {"*": (1.0, 9.0)}
HOSTILE = hostile(len(KNOWN), 5)
STUBS = Path(__file__).parent / "stubs"


@cache
def artefact_of(model, dtype="double", name="net"):
    """An artefact that tests share, with the rows of its self-test."""
    ranges = RANGES if dtype in STORED_BITS else {}
    return make_artefact(model, name, dtype, ranges)


def unpacked(model, package, folder, dtype="double"):
    """The folder that the archive of a package holds; the archive is beside it."""
    return unpack(artefact_of(model, dtype), package, folder)


def unpack(artefact, package, folder):
    """The same of an artefact."""
    (file,) = PACKAGES[package].make(artefact)
    folder.mkdir(exist_ok=True)
    (folder / file.name).write_bytes(file.text)
    with zipfile.ZipFile(folder / file.name) as archive:
        archive.extractall(folder)
    return folder / "net"


def needs(*commands):
    """Skip the test if one of these programs is missing."""
    for command in commands:
        if shutil.which(command) is None:
            pytest.skip(f"there is no {command} here")


def run(*command, stderr_too=False, both=False, **more):
    """Return the output of a command that must not fail, perhaps with its errors, or both."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **more
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    if both:
        return done.stdout, done.stderr
    return done.stdout + done.stderr if stderr_too else done.stdout


def build(source, folder, *options, **more):
    """Build a CMake project; warnings of its C are errors."""
    flags = f"-DCMAKE_C_FLAGS={STRICT}"
    run("cmake", "-S", source, "-B", folder, flags, "-DCMAKE_BUILD_TYPE=Release", *options, **more)
    run("cmake", "--build", folder, **more)


STRICT = "-Wall -Wextra -Werror -Wno-unknown-pragmas"


def first_lines(model, name="net"):
    """Return what an example prints for a row of zeros, according to the interpreter."""
    zeros = np.zeros((1, len(model.columns)))
    results = expected_results(model, zeros)
    lines = [f"{name}: the self-test passed"]
    if not model.is_classifier:
        return [*lines, *(f"{value:.6f}" for value in results[0]), "blink"]
    (number,) = expected_classes(model, results)
    return [*lines, str(model.classes[number]), *["blink"] * (number + 1)]
