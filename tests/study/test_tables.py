"""Tables of results made by hand are, letter by letter, what a person would write."""

import re
from dataclasses import replace

import pytest

from dsgec.study.definition import PrintedFigure, Row
from dsgec.study.outputs import comparisons_text, normality_text
from dsgec.study.results import results_text
from dsgec.study.table_text import latex, markdown, plain_text
from dsgec.study.tables import make_table
from tests.support.study_results import ONE, TWO, make_results, make_study, outcome

STUDY = make_study()
# Fitness of A: mean 2, deviation √(0.2 / 3) = 0.26; of B: mean 1, all below those of A.
A = [
    outcome(f, accuracy=a, neurons=10) for f, a in ((1.7, 0.9), (1.9, 0.8), (2.1, 0.7), (2.3, 0.6))
]
B = [outcome(f, accuracy=a) for f, a in ((0.7, 0.5), (0.9, 0.4), (1.1, 0.3), (1.3, 0.2))]
RESULTS = make_results(STUDY, {("a", ONE): A, ("b", ONE): B})
TABLE = make_table(STUDY, STUDY.tables[0], RESULTS)

TEXT = """\
Table 1. Of A and B

                         One
────────────────────────────────────────────
       Fitness        A  2.00 ± 0.26
                      B  1.00 ± 0.26 +++
────────────────────────────────────────────
Train  RMSE           A  0.50 ± 0.00
                      B  0.50 ± 0.00 ~
       Accuracy       A  0.75 ± 0.13
                      B  0.35 ± 0.13 ---
       AUROC          A  0.75 ± 0.13
                      B  0.35 ± 0.13 ---
────────────────────────────────────────────
Test   RMSE           A  0.50 ± 0.00
                      B  0.50 ± 0.00 ~
       Accuracy       A  0.75 ± 0.13
                      B  0.35 ± 0.13 ---
       AUROC          A  0.75 ± 0.13
                      B  0.35 ± 0.13 ---
────────────────────────────────────────────
       Num. Neurons   A  10.0 ± 0.00
                      B  3.00 ± 0.00
────────────────────────────────────────────
       Num. Features  A  12.0 ± 0.00
                      B  12.0 ± 0.00
────────────────────────────────────────────
"""


def test_the_text_is_what_a_person_would_write():
    text = plain_text([TABLE])
    rule = re.compile("─+")

    # The rules are as long as the table is wide.
    assert rule.sub("─", text).startswith(rule.sub("─", TEXT))
    assert {len(found) for found in rule.findall(text)} == {max(map(len, TEXT.splitlines()[4:6]))}
    assert "best network of each of 4 runs, seeds 1 to 4" in text
    assert "Signs compare B with A by Mann-Whitney U" in text


def test_markdown_escapes_what_a_label_holds():
    plan = STUDY.tables[0]
    rows = (Row("A|*x*", "a", "dsge", "net"),)
    table = make_table(STUDY, replace(plan, rows=rows, title="a_b <i>"), RESULTS)
    lines = markdown([table]).splitlines()

    assert lines[0] == r"**Table 1. a\_b \<i\>**"
    assert lines[2] == "|  |  |  | One |"
    assert lines[4] == r"|  | **Fitness** | A\|\*x\* | 2.00 ± 0.26 |"
    assert lines[5] == r"| **Train** | **RMSE** | A\|\*x\* | 0.50 ± 0.00 |"


def test_a_label_stays_on_its_line():
    rows = (Row("A\nB", "a", "dsge", "net"),)
    table = make_table(STUDY, replace(STUDY.tables[0], rows=rows, title="a\n\nb"), RESULTS)
    for text in (plain_text([table]), markdown([table]), latex([table])):
        assert "A B" in text
        assert "a b" in text


def test_latex_has_the_papers_layout():
    text = latex([TABLE])

    assert (
        r"\multicolumn{2}{|c|}{\multirow{2}{*}{Fitness}} & A & 2.00 $\pm$ 0.26 \\"
        "\n"
        r"\multicolumn{2}{|c|}{} & B & 1.00 $\pm$ 0.26$^{+++}$ \\ \hline"
    ) in text
    assert (
        r"\multicolumn{1}{|c|}{\multirow{6}{*}{\rotatebox[origin=c]{90}{Train}}} & "
        r"\multicolumn{1}{c|}{\multirow{2}{*}{RMSE}} & A & 0.50 $\pm$ 0.00 \\"
    ) in text
    assert r"\multicolumn{1}{|c|}{} & \multicolumn{1}{c|}{} & B & 0.50 $\pm$ 0.00$^{\sim}$" in text
    assert r"{-}{-}-" in text
    assert text.count("{") == text.count("}")
    evil = latex([replace(TABLE, title=r"\input{x} % & # ~ ^")])
    assert r"\textbackslash{}input\{x\} \% \& \# $\sim$ \^{}" in evil


def test_printed_figures_stand_beside_ours():
    printed = (
        PrintedFigure("t", "fitness", "A", "one", "1.50 ± 0.25"),
        PrintedFigure("t", "fitness", "B", "one", "1.25 ± 0.50 +++"),
        PrintedFigure("t", "fitness", "B", "two", "9.99 ± 0.50"),
        PrintedFigure("other", "fitness", "A", "one", "7.77 ± 0.50"),
    )
    study = replace(STUDY, printed=printed)
    table = make_table(study, study.tables[0], RESULTS)
    lines = plain_text([table]).splitlines()

    assert lines[2].split() == ["One", "paper"]
    assert lines[4].split() == ["Fitness", "A", "2.00", "±", "0.26", "1.50", "±", "0.25"]
    assert lines[5].split() == ["B", "1.00", "±", "0.26", "+++", "1.25", "±", "0.50", "+++"]
    assert lines[7].split() == ["Train", "RMSE", "A", "0.50", "±", "0.00", "–"]
    assert "of A less the printed one, in printed standard deviations: One +2.0." in lines[-2]
    assert "of B less the printed one, in printed standard deviations: One -0.5." in lines[-1]
    assert r"1.00 $\pm$ 0.26$^{+++}$ & 1.25 $\pm$ 0.50$^{+++}$ \\" in latex([table])


def test_a_row_of_deep_networks_counts_only_those():
    study = make_study(data=(ONE, TWO))
    deep = [outcome(1.0, layers=n) for n in (1, 2, 3, 1)]
    results = make_results(
        study, {("a", ONE): A, ("b", ONE): deep, ("a", TWO): A, ("b", TWO): deep[:2]}
    )
    plan = study.tables[0]
    rows = (*plan.rows, Row("C", "b", "dsge", "net", layers=2, against="A"))
    text = plain_text([make_table(study, replace(plan, rows=rows), results)])

    (line,) = [line for line in text.splitlines() if "Num. H-Ls" in line]
    after = text.splitlines()[text.splitlines().index(line) :]
    assert after[0].split() == ["Num.", "H-Ls", "A", "1.00", "±", "0.00", "1.00", "±", "0.00"]
    assert after[1].split() == ["B", "1.75", "±", "0.96", "1.50", "±", "0.71"]
    assert after[2].split() == ["C", "2.50", "±", "0.71", "2.00"]  # two runs, and one
    assert "Runs that count for C: 2 (One), 1 (Two)." in text
    assert "Runs that count for B: 4 (One), 2 (Two)." in text


def test_regression_has_its_own_measures_and_digits():
    results = make_results(
        STUDY,
        {
            ("a", ONE): [outcome(0.00123, rmse=1234.5, task="regression", neurons=0, layers=0)] * 2,
            ("b", ONE): [outcome(0.00123, rmse=1.5, task="regression", neurons=0, layers=0)] * 2,
        },
    )
    text = plain_text([make_table(STUDY, STUDY.tables[0], results)])

    assert "0.00123 ± 0" in text
    assert "1.23e+03 ± 0" in text
    for name, there in (("MAE", True), ("R²", True), ("Accuracy", False), ("Neurons", False)):
        assert (name in text) == there


def test_a_figure_that_is_not_defined_is_left_out():
    first = outcome(None)
    results = make_results(STUDY, {("a", ONE): [first, *A[1:]], ("b", ONE): [first] * 4})
    lines = plain_text([make_table(STUDY, STUDY.tables[0], results)]).splitlines()

    assert lines[4].split() == ["Fitness", "A", "2.10", "±", "0.20"]
    assert lines[5].split() == ["B", "–"]


def test_a_quick_look_says_so():
    study = replace(STUDY, shortened="A quick look: not the study.")
    for made in (plain_text, markdown, latex):
        assert "A quick look" in made([make_table(study, study.tables[0], RESULTS)])


def test_results_csv_holds_every_figure():
    lines = results_text(RESULTS).splitlines()

    assert lines[0] == (
        "part,engine,grammar,data,seed,population,generations,fitness,"
        "train_accuracy,train_rmse,train_auroc,train_f1,test_accuracy,test_rmse,test_auroc,test_f1,"
        "layers,neurons,features,connections,evaluations"
    )
    assert lines[1] == "a,dsge,net,one,1,100,500,1.7,0.9,0.5,0.9,,0.9,0.5,0.9,,1,10,12,20,1000"
    assert len(lines) == 9


def test_the_tests_behind_the_tables_are_written():
    lines = comparisons_text(STUDY.tables, RESULTS).splitlines()
    # Four against four, all apart: U = 0, p = 2 / 70, z = -8 / √12, r = |z| / √8.
    assert lines[1] == "t,fitness,one,B,A,0,0.0285714,-2.3094,0.816497,+++"
    assert not any("neurons" in line for line in lines)
    lines = normality_text(STUDY.tables, RESULTS).splitlines()
    assert re.fullmatch(r"t,fitness,one,A,4,0\.99\d*,0\.97\d*", lines[1])
    assert "t,train rmse,one,A,4,," in lines


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.004, "0.00"), (9.994, "9.99"), (9.996, "10.0"), (99.96, "100"), (123456.0, "1.23e+05")],
)
def test_three_digits(value, text):
    results = make_results(STUDY, {("a", ONE): [outcome(value)], ("b", ONE): [outcome(value)]})
    lines = plain_text([make_table(STUDY, STUDY.tables[0], results)]).splitlines()

    assert lines[4].split() == ["Fitness", "A", text]
