"""Every surface has all settings of the one table, under its own names."""

import inspect

import pytest

import dsgec
from dsgec.api.generate import PRINTED, render_keywords
from dsgec.api.settings import CLASSIFIER_PARAMETERS, KEYWORDS
from dsgec.cli import commands
from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.errors import PYTHON, mention
from dsgec.report.facts import evolve_command
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.settings import OPTIONS, SETTINGS, Settings
from dsgec.setting import settings_of
from dsgec.study.toml_reader import STUDY
from tests.support.records import run_record


def test_a_setting_is_named_in_the_words_of_each_surface():
    text = f"Use {mention('missing', 'mean', 'median')}, {mention('max_depth', {'sum': 3})}"
    text += f", {mention('header', False)} or {mention('ignore')}; not `sig(x)--sig(x)`."
    assert PYTHON.write(text) == (
        'Use missing="mean" or "median", max_depth={\'sum\': 3}, header=False or ignore=;'
        " not `sig(x)--sig(x)`."
    )
    assert OPTIONS.write(text) == (
        "Use --missing mean or median, --max-depth sum=3, --no-header or --ignore;"
        " not `sig(x)--sig(x)`."
    )
    assert STUDY.write(text) == (
        'Use `missing = "mean" or "median"`, `max_depth = { sum = 3 }`, `header = false` or'
        " `ignore`; not `sig(x)--sig(x)`."
    )
    with pytest.raises(dsgec.DsgecError) as error:
        Settings(max_depth=(("sum", -1),), population=1)
    assert [fault.setting for fault in error.value.faults] == ["population", "max_depth"]
    assert "--max-depth is -1" in error.value.rendered(OPTIONS)
    assert "`max_depth` is -1" in error.value.rendered(STUDY)
    assert "error: max_depth is -1" in str(error.value)


def test_what_looks_like_a_setting_but_is_a_user_s_text_stays():
    for text in (
        "\ue000missing\ue001",
        "\ue000a x\ue001",
        "\ue000a 5\ue001",
        f"\ue000a {'[' * 10**5}\ue001",
    ):
        assert OPTIONS.write(text) == text


def test_the_keywords_are_those_of_the_table():
    assert PRINTED.read_text(encoding="utf-8") == render_keywords()
    parameters = inspect.signature(dsgec.evolve).parameters
    for one in KEYWORDS:
        assert parameters[one.name].kind is inspect.Parameter.KEYWORD_ONLY
        assert f":param {one.name}: {one.help.removesuffix('.')}" in dsgec.evolve.__doc__
    assert "keywords" not in parameters
    with pytest.raises(TypeError, match="unexpected keyword argument 'populaton'"):
        dsgec.evolve("one_layer", "wdbc", populaton=3)


def test_every_setting_is_an_option_with_its_default():
    (evolve,) = (one for one in commands.commands.values() if one.name == "evolve")
    options = {one.name: one for one in evolve.params}
    for one in (*settings_of(Settings), *settings_of(Preprocessing), *settings_of(ReadingOptions)):
        if one.name == "fold":
            continue
        option = options[one.name]
        assert one.help.removesuffix(".") in option.help
        assert OPTIONS.name(one.name) in option.opts
        if one.learned is not None:
            assert f"default: {one.chosen or one.learned}" in option.help
        elif not one.is_optional and one.name not in ("test", "folds"):
            assert option.default == one.default


def test_the_estimators_have_every_setting_but_those_of_rows_and_seeds():
    without = {one.name for one in SETTINGS} - {one.name for one in CLASSIFIER_PARAMETERS}
    assert without == {"seed", "split_seed", "test", "folds", "fold", "balance", "compare"}
    own = inspect.signature(dsgec.DSGEClassifier).parameters
    assert {one.name for one in CLASSIFIER_PARAMETERS} | {"class_weight"} <= {*own}
    for name in ("class_weight", *(one.name for one in CLASSIFIER_PARAMETERS)):
        assert f":param {name}: " in dsgec.DSGEClassifier.__doc__
    of_classes = {*own} - {*inspect.signature(dsgec.DSGERegressor).parameters}
    assert of_classes == {"threshold", "class_weight"}


@pytest.mark.parametrize("one", SETTINGS, ids=lambda one: one.name)
def test_the_command_of_a_report_gives_every_setting(one):
    others = [choice for choice in one.choices if choice != one.default]
    other = {int: 7, float: 0.25, bool: True, str: others[-1] if others else "mae"}
    value = {dict: {"sum": 3}, tuple: others[-1:]}.get(one.kind) or other[one.kind]
    words = evolve_command(run_record({one.key: value})).split()[4:]

    shown = "sum=3" if one.kind is dict else str(others[-1] if one.kind is tuple else value)
    expected = [OPTIONS.name(one.name), shown]
    expected = expected[:1] if one.kind is bool else expected
    if one.name == "variation":  # then the others have not the values that runs of trees have
        assert "--preset" not in words
        assert [*words[words.index("--steps") :][:2]] == ["--steps", "0"]
        return
    assert words[:2] == ["--preset", "paper"]
    assert words[2:] == ([] if one.name == "fold" else expected)
    assert Settings.from_json(Settings().as_json() | {"codons": 7}).codons == 7


def test_what_is_recorded_of_a_run_is_what_it_was():
    assert list(Settings().as_json()) == [
        *("engine", "population", "generations", "seed", "tournament", "crossover", "mutation"),
        *("elites", "connect", "max_depth", "max_size", "codons", "wraps", "test", "split_seed"),
        *("objective", "folds", "fold"),
    ]
    more = Settings(stop_at=1.0, patience=2, islands=3).as_json()
    assert list(more)[18:] == ["stop_at", "patience", "islands", "migrate_every", "migrants"]
    assert Settings.from_json(more).islands == 3


def test_the_help_names_every_objective():
    (objective,) = (one for one in SETTINGS if one.name == "objective")
    words = set(objective.help.replace(",", " ").replace(";", " ").split())
    assert set(OBJECTIVES) <= words
