"""A study file says what it means, or is told all that is wrong with it."""

import tomllib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from dsgec.errors import DsgecError
from dsgec.resources import STUDIES
from dsgec.search import settings
from dsgec.study import parse
from dsgec.study.definition import cells, default_tables, shorten
from dsgec.study.parse import load_study

PART = '[[part]]\nrepresentations = ["dsge"]\ngrammars = ["one_layer"]\ndata = ["wdbc"]\n'


def study(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_study(str(path))


def test_what_is_not_said_is_as_usual(tmp_path):
    found = study(tmp_path, PART)

    assert (found.name, found.runs, found.seed) == ("mine", 30, 1)
    (part,) = found.parts
    assert part.generations == (500,)
    assert part.settings == ((settings.Settings(),),)
    assert found.tables == ()
    (plan,) = default_tables(found.parts)
    assert [row.label for row in plan.rows] == ["one_layer"]


def test_a_part_may_have_another_preset(tmp_path):
    parts = PART + PART.replace('["dsge"]', '["dsge", "ge"]') + 'name = "b"\n'
    found = study(tmp_path, parts + 'settings = { preset = "learning", steps = 2 }\n')
    paper, learning = found.parts

    assert paper.settings == ((settings.Settings(),),)
    dsge, ge = learning.settings[0]
    assert (dsge.variation, dsge.population, dsge.steps) == ("trees", 30, 2)
    assert (ge.representation, ge.population, ge.crossover, ge.tuning) == ("ge", 100, 0.95, 200)
    assert learning.generations == (500,)
    assert [cell.settings.representation for cell in cells(found)][:3] == ["dsge", "dsge", "ge"]


def test_a_file_beside_a_study_that_cannot_be_read_is_not_taken_for_another(tmp_path):
    (tmp_path / "one_layer").symlink_to("one_layer")  # which is no name of a file, nor of none
    (part,) = study(tmp_path, PART).parts

    assert part.grammars[0].file == str(tmp_path / "one_layer")


def test_everything_that_can_be_said(tmp_path):
    (tmp_path / "houses.csv").write_text("a,price\n1,2\n")
    (tmp_path / "my.bnf").write_text("<a> ::= x_1\n")
    found = study(
        tmp_path,
        """
        name = "all"
        runs = 3
        seed = 7
        generations = 9
        [settings]
        population = 10
        max_depth = { sum = 2, sigexpr = 4 }
        [quick]
        runs = 2
        generations = 5
        [data.houses]
        file = "houses.csv"
        target = "price"
        label = "Houses"
        window = 8
        window_label = "majority"
        [[part]]
        name = "a"
        representations = ["dsge"]
        grammars = ["one_layer", "my.bnf"]
        data = ["wdbc", "houses"]
        generations = { houses = 4 }
        [[part]]
        name = "b"
        representations = ["dsge"]
        grammars = ["one_layer"]
        data = ["wdbc"]
        settings = { mutation = 1, population = 11 }
        [[table]]
        name = "t"
        title = "A title"
        figures = ["wdbc"]
        rows = [
            { label = "first", part = "a", grammar = "my" },
            { label = "second", part = "b", against = "first", layers = 2 },
        ]
        """,
    )
    a, b = found.parts
    assert a.generations == (9, 4)
    assert a.data[1].file == str(tmp_path / "houses.csv")
    assert (a.data[1].target, a.data[1].label) == ("price", "Houses")
    assert (a.data[1].preprocessing.window, a.data[1].preprocessing.label) == (8, "majority")
    assert a.grammars[1].file == str(tmp_path / "my.bnf")
    assert a.settings[0][0].max_depth == (("sigexpr", 4), ("sum", 2))
    assert (a.settings[0][0].population, b.settings[0][0].population) == (10, 11)
    assert b.settings[0][0].mutation == 1.0
    (plan,) = found.tables
    assert plan.rows[0].representation == "dsge"
    assert (plan.rows[1].against, plan.rows[1].layers) == ("first", 2)
    every = list(cells(found))
    assert len(every) == 3 * (4 + 1)
    assert {cell.settings.seed for cell in every} == {7, 8, 9}
    assert len(set(every)) == len(every)
    quick = shorten(found)
    assert len(list(cells(quick))) == 10
    assert {cell.settings.generations for cell in cells(quick)} == {5, 4}
    assert "2 runs of at most 5 generations, instead of 3 runs of up to 9" in quick.shortened


MISTAKES = [
    ("runs = 1\nseed = [", "mine.toml:2:1: error: this is not TOML"),
    ("runs = 1\nseed = a", "mine.toml:2:8: error: this is not TOML"),
    (b"\xff\xfe", "not UTF-8"),
    ("a = " + "[" * 20_000, "error"),
    ("", "`part` is missing"),
    ("part = 3", "`part` is a whole number\n  It must be a list"),
    ("part = [3]", "Write it as [[part]]"),
    (f"runs = 0\n{PART}", "`runs` is 0\n  It must be between 1 and 100000"),
    (f"runs = true\n{PART}", "`runs` is true or false\n  It must be a whole number"),
    (f"runs = {'9' * 5000}\n{PART}", "error"),
    (f"seed = -1\n{PART}", "`seed` is -1"),
    (f"seed = 2001-01-01\n{PART}", "`seed` is a date"),
    (f"run = 3\n{PART}", "`run` means nothing here\n  Did you mean `runs`?"),
    (f'name = "../x"\n{PART}', "It names a folder"),
    (f"[quick]\nruns = 'two'\n{PART}", "[quick]: `runs` is a string"),
    (f"[settings]\nseed = 3\n{PART}", "[settings]: `seed` means nothing here"),
    (f"[settings]\npreset = 'p'\n{PART}", "`preset` is 'p'\n  Choose from learning, paper."),
    (f"[settings]\npopulation = 1\n{PART}", "part 1, [settings]: `population` is 1"),
    (f"[settings]\ncrossover = 'a'\n{PART}", "`crossover` is 'a'\n  It must be a number"),
    (f"[settings]\nconnect = 'none'\n{PART}", "`connect` is 'none'\n  Choose from all, previous."),
    (f"[settings]\ntest = nan\n{PART}", "`test` is nan"),
    (
        f"[settings]\nmax_depth = {{ sum = 'a' }}\n{PART}",
        "`max_depth` is {'sum': 'a'}",
    ),
    (f"[data]\nwdbc = 3\n{PART}", "[data.wdbc] is not a table"),
    (f"[data.wdbc]\nfil = 3\n{PART}", "Did you mean `file`?"),
    ("[[part]]\n", "part 1: `representations` is missing"),
    (
        PART.replace("dsge", "dsg"),
        "`representations` names `dsg`\n  Did you mean `dsge`? Choose from dsge, sge, ge",
    ),
    (PART.replace('["dsge"]', "[]"), "`representations` is empty"),
    (PART.replace('["dsge"]', '["dsge", "dsge"]'), "`representations` names something twice"),
    (PART.replace('["wdbc"]', '["wdbc", 3]'), "`data` holds something else than strings"),
    (PART.replace('["wdbc"]', '["a.csv", "b/a.csv"]'), "two files that would be called the same"),
    (f"{PART}{PART.replace('wdbc', 'x/wdbc.csv')}", "two different tables that would be called"),
    (f"{PART}generations = {{ wdb = 3 }}", "generations: `wdb` means nothing here"),
    (f"{PART}generations = -3", "`generations` is -3"),
    (f"{PART}representation = 'ge'", "`representation` means nothing here\n  Did you mean"),
    (f"{PART}name = 'a'\n{PART}name = 'a'\n", "two of one name"),
    (f"{PART}[[table]]\n", "table 1: `rows` is missing"),
    (f"{PART}[[table]]\nrows = [{{}}]", "row 1: `label` is missing"),
    (f"{PART}[[table]]\nrows = [{{ label = 'a', part = 'b' }}]", "`part` names `b`"),
    (
        f"{PART}[[table]]\nrows = [{{ label = 'a', representation = 'b' }}]",
        "`representation` names `b`",
    ),
    (f"{PART}[[table]]\nrows = [{{ label = 'a', against = 'b' }}]", "`against` names `b`"),
    (f"{PART}[[table]]\nrows = [{{ label = 'a' }}, {{ label = 'a' }}]", "`a` a second time"),
    (f"{PART}[[table]]\nrows = [{{ label = 'a' }}]\nfigures = ['b']", "`figures` names `b`"),
    (f"{PART}[[table]]\nname = 'a/b'\nrows = []", "It names files"),
    (f"printed = 'none.toml'\n{PART}", "cannot read none.toml"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_a_mistake_is_told(tmp_path, text, message):
    with pytest.raises(DsgecError) as error:
        study(tmp_path, text)

    assert message in str(error.value)
    assert "mine.toml" in str(error.value) or "none.toml" in str(error.value)


def test_every_setting_can_be_given(tmp_path):
    given = {"stop_at": 1.5, "patience": 3, "islands": 2, "codons": 9}
    lines = "".join(f"{name} = {value}\n" for name, value in given.items())
    (part,) = study(tmp_path, f"[settings]\n{lines}{PART}").parts

    assert part.settings == ((settings.Settings(**given),),)


def test_all_mistakes_are_told_at_once(tmp_path):
    with pytest.raises(DsgecError) as error:
        study(tmp_path, "runs = 0\nfoo = 1\n[[part]]\nrepresentations = ['x']\ndata = []\n")

    assert len(error.value.faults) == 5


@pytest.mark.parametrize(
    "text",
    [
        "data = ['wdbc']\n[t.fitness]\nA = ['1.0 ± 0.1', '2.0 ± 0.2']",
        "data = ['wdbc']\n[t.fitness]\nA = ['1.0.0 ± 0.1']",
        "data = ['wdbc']\n[t.fitness]\nA = [1.0]",
        "data = ['wdbc']\nt = 3",
        "[t.fitness]\nA = ['1.0 ± 0.1']",
    ],
)
def test_printed_figures_that_do_not_fit_are_told(tmp_path, text):
    (tmp_path / "figures.toml").write_text(text)
    with pytest.raises(DsgecError, match=r"figures\.toml"):
        study(tmp_path, f"printed = 'figures.toml'\n{PART}")


def test_the_papers_study_is_what_the_paper_says():
    found = load_study("paper")
    every = list(cells(found))

    assert len(every) == 30 * (3 * 4 + 4)
    assert {cell.settings.seed for cell in every} == set(range(1, 31))
    kinds = Counter(
        (cell.grammar.name, cell.data.name, cell.settings.generations) for cell in every
    )
    assert kinds == {
        ("one_layer", "flame", 500): 90,
        ("one_layer", "wdbc", 500): 90,
        ("one_layer", "ionosphere", 500): 90,
        ("one_layer", "sonar", 500): 90,
        ("multi_layer", "flame", 1500): 30,
        ("multi_layer", "wdbc", 1500): 30,
        ("multi_layer", "ionosphere", 3500): 30,
        ("multi_layer", "sonar", 3500): 30,
    }
    for cell in every:
        s = cell.settings
        assert (s.population, s.tournament, s.elites, s.test) == (100, 3, 1, 0.3)
        assert (s.crossover, s.mutation) == (0.95, 0.95)


def test_the_printed_figures_have_as_many_signs_as_the_paper_counts():
    """'only equivalent in 5 situations … medium in 11 occasions and a large in 20 occasions'."""
    source = tomllib.loads(STUDIES.joinpath("printed/paper.toml").read_text(encoding="utf-8"))

    def signs(table):
        texts = [t for rows in source[table].values() for row in rows.values() for t in row]
        return len(texts), Counter(t.partition(" ± ")[2].partition(" ")[2] for t in texts)

    assert signs("one_layer") == (11 * 3 * 4, {"": 96, "~": 5, "++": 11, "+++": 20})
    count, found = signs("many_layers")
    assert count == 12 * 3 * 4
    # No difference of "≥1 H-Ls", none in test; where there is one, it is always large.
    assert set(found) == {"", "~", "+++"}
    for measure, rows in source["many_layers"].items():
        assert not any("+" in text for text in rows["≥1 H-Ls"])
        assert not (measure.startswith("test") and any("+" in text for text in rows[">1 H-Ls"]))
    assert source["one_layer"]["fitness"]["DSGE"][0] == "1.16 ± 0.13 +++"
    assert source["many_layers"]["layers"][">1 H-Ls"][3] == "2.95 ± 1.12"


def test_a_study_that_is_not_there(tmp_path):
    with pytest.raises(DsgecError, match="there is no study nothing"):
        load_study("nothing")
    with pytest.raises(DsgecError, match="shipped one: classics, example, paper"):
        load_study(str(Path(tmp_path) / "nothing.toml"))


KEYS = [
    "name",
    "runs",
    "seed",
    "generations",
    "settings",
    "quick",
    "data",
    "part",
    "table",
    "printed",
    "representations",
    "grammars",
]
KEYS += [
    "rows",
    "label",
    "against",
    "layers",
    "figures",
    "title",
    "file",
    "target",
    "population",
    "max_depth",
    "wdbc",
    "a",
]
VALUES = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.booleans(),
    st.dates(),
    st.sampled_from(["dsge", "one_layer", "wdbc", "", "a", "\0", "../x", "\ud7ff", "part 1"]),
)
TABLES = st.recursive(
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4),
    lambda inner: st.dictionaries(
        st.sampled_from(KEYS), st.one_of(VALUES, inner, st.lists(st.one_of(inner, VALUES)))
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("count", [80, pytest.param(1000, marks=pytest.mark.campaign)])
def test_whatever_a_file_holds_is_a_study_or_a_mistake(count):
    @given(TABLES)
    @hypothesis_settings(max_examples=count, deadline=None)
    def check(source):
        try:
            found = parse._parse(source, "any.toml", Path("any.toml"))
        except DsgecError as error:
            assert error.faults
        else:
            assert found.parts

    check()
