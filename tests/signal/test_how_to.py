"""docs/how-to/add-a-feature.md works, and docs/reference/features.md has every feature."""

import pytest

import dsgec.signal.features  # noqa: F401  (defines the features)
from dsgec.signal.definition import DEFINITIONS
from tests.support.project_copy import ROOT, copy_with_edits, edits, run_python

USE = """
from dsgec.program.print_c import CPrinter
from dsgec.signal.lower import stream_program
from tests.support.signals import random_samples, signal_of, streamed
from dsgec.signal.compute import compute_features
import numpy as np
signal = signal_of(["rise(diff(ax))", "rise(ay)"], window=12)
samples = random_samples(signal, 100)
starts = np.arange(0, 80, 5)
assert (streamed(signal, samples, starts) == compute_features(signal, samples, starts)).all()
print(CPrinter(stream_program(signal), "pump").print())
"""


def test_a_feature_is_one_definition_and_one_line_of_its_test():
    assert [path for path, *_ in edits("add-a-feature")] == [
        "dsgec/signal/features.py",
        "tests/support/signals.py",
    ]


@pytest.mark.campaign
def test_the_new_feature_is_tested_and_printed(tmp_path):
    copy = copy_with_edits("add-a-feature", tmp_path)
    found = run_python(
        copy,
        *("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"),
        *("-k", "exact_features or nothing_leaves", "tests/signal"),
    )
    assert "10 passed" in found
    assert "pump_maximum" in run_python(copy, "-c", USE)


def test_the_reference_has_every_feature_and_filter():
    page = ROOT.joinpath("docs/reference/features.md").read_text(encoding="utf-8")
    names = [one.name for one in DEFINITIONS.values() if one.kind != "kept"]
    assert [name for name in names if f"`{name}(x" not in page] == []
