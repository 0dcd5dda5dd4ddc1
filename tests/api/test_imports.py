"""`import dsgec` costs nothing, and lists the public names."""

import subprocess
import sys
from pathlib import Path

import pytest

import dsgec

ROOT = Path(__file__).parents[2]
HEAVY = "{'numpy', 'lark', 'jinja2', 'cffi', 'sklearn', 'scipy', 'pandas', 'polars', 'joblib'}"


def answer(code):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_dsgec_imports_nothing_heavy():
    assert answer(f"import sys, dsgec; print(sorted({HEAVY} & set(sys.modules)))") == "[]"


def test_using_the_library_imports_neither_scikit_learn_nor_data_frames():
    code = (
        "import sys, dsgec\n"
        "few = {'generations': 1, 'population': 4, 'pruning': 1, 'tuning': 1}\n"
        "run = dsgec.evolve('one_layer', 'wdbc', backend='numpy', **few)\n"
        "run.predict([[1.0] * 30]), repr(run), run._repr_html_()\n"
        "heavy = {'sklearn', 'scipy', 'pandas', 'polars', 'joblib', 'click', 'dsgec.study'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )

    assert answer(code) == "[]"


_OTHER_NAMES = {"Grammar": "GrammarFile", "search": "dsgec.search"}


def test_every_public_name_is_there_and_listed():
    for name in (*dsgec.__all__, "DSGEClassifier", "DSGERegressor"):
        assert getattr(dsgec, name).__name__ == _OTHER_NAMES.get(name, name)
        assert name in dir(dsgec)
    with pytest.raises(AttributeError, match="evlove"):
        dsgec.evlove  # noqa: B018


def test_without_scikit_learn_the_message_names_what_to_install():
    code = (
        "import sys; sys.modules['sklearn'] = None; sys.modules['sklearn.base'] = None\n"
        "import dsgec\n"
        "from dsgec import *\n"
        "try:\n    dsgec.DSGEClassifier\nexcept ImportError as error:\n    print(error)\n"
    )

    assert "pip install 'dsgec[sklearn]'" in answer(code)


def test_the_types_are_shipped():
    assert (ROOT / "dsgec" / "py.typed").exists()
