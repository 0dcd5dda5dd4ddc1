"""Rust, Java and Go: the interpreter's bits, clean lints, names that do nothing."""

from itertools import count, islice

import pytest

from dsgec.codegen.artefact import Artefact
from dsgec.errors import DsgecError
from tests.codegen.artefacts import random_model
from tests.codegen.languages import LANGUAGES, expected, extreme_rows, results
from tests.generators import same_bits


@pytest.fixture(params=LANGUAGES)
def language(request):
    missing = LANGUAGES[request.param].missing
    if missing:
        pytest.skip(f"{missing} is not installed")
    return request.param


def agree(folder, language, seeds, dtype="double", rows=100, *, lint=False):
    models = {f"net{seed}": random_model(seed) for seed in seeds}
    tables = {
        name: extreme_rows(model, seed, rows, dtype)
        for seed, (name, model) in zip(seeds, models.items(), strict=True)
    }
    found = results(folder, language, models, tables, dtype, lint=lint)
    for name, (passes, made, numbers) in found.items():
        wanted, classes = expected(Artefact(models[name], name, dtype), tables[name])
        assert passes, name
        assert same_bits(made, wanted.astype(float)), name
        assert numbers == classes, name


def test_a_language_gives_the_interpreters_bits_on_random_networks(language, tmp_path):
    agree(tmp_path, language, range(3), lint=True)


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("dtype", ["double", "float"])
@pytest.mark.parametrize("start", range(0, 100, 25))
def test_a_language_gives_the_interpreters_bits_on_100_networks(language, dtype, start, tmp_path):
    seeds = islice(filter(lambda seed: fits(seed, dtype), count(2000)), start, start + 25)
    agree(tmp_path, language, list(seeds), dtype, 1000, lint=True)


def fits(seed, dtype):
    """Whether the numbers of a network are of the type: some are too large for single precision."""
    try:
        return bool(Artefact(random_model(seed), "net", dtype))
    except DsgecError:
        return False
