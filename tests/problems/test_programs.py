"""The problems of program synthesis: Python itself runs the programs, as the oracle."""

import contextlib
import io
import statistics

import pytest

import dsgec
from dsgec.problems import grade, median, number_io, small_or_large, smallest
from dsgec.problems.programs import LONGEST, MOST_PRINTED, run_program

PROBLEMS = (number_io, smallest, median, small_or_large, grade)
SOLUTIONS = {
    number_io: "print(in1+in2)",
    smallest: "print(min(min(in1,in2),min(in3,in4)))",
    median: "print(max(min(in1,in2),min(max(in1,in2),in3)))",
    small_or_large: "if in1<1000:\n  print('small')\nelse:\n  if not in1<2000:\n    print('large')",
    grade: """print('Student has a ')
if in1<=in5:
  print('A')
else:
  if in2<=in5:
    print('B')
  else:
    if in3<=in5:
      print('C')
    else:
      if in4<=in5:
        print('D')
      else:
        print('F')
print(' grade.')""",
}


def printed_by_python(text, inputs):
    """What each case prints if Python runs the program: whole numbers have no fraction."""
    found = []
    for case in range(len(next(iter(inputs.values())))):
        values = {name: column[case].item() for name, column in inputs.items()}
        out = io.StringIO()

        def show(value, out=out):
            is_number = not isinstance(value, str)
            whole = is_number and value == int(value)
            out.write(str(int(value)) if whole else str(round(value, 10) if is_number else value))

        exec(text, {"a": 0, "b": 0, "print": show, "min": min, "max": max}, values)
        found.append(out.getvalue())
    return found


@pytest.mark.parametrize("problem", PROBLEMS)
def test_programs_print_what_python_prints(problem):
    run = dsgec.search(problem.grammar, problem.fitness, population=25, generations=3)
    for one in run.individuals():
        inputs = {name: column[:20] for name, column in problem.cases.inputs.items()}
        assert run_program(one.phenotype, inputs) == printed_by_python(one.phenotype, inputs)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_known_programs_are_right(problem):
    assert sum(problem.fitness(SOLUTIONS[problem])) == 0.0
    assert problem.test_error(SOLUTIONS[problem]) == 0.0
    assert sum(problem.fitness("a = 1")) > 0.0 < problem.test_error("a = 1")


def rows(problem, cases):
    names = sorted(cases.inputs)
    columns = [cases.inputs[name].tolist() for name in names]
    return list(zip(zip(*columns, strict=True), cases.expected, strict=True))


def test_the_answers_are_those_of_the_definitions():
    for problem, answer in (
        (number_io, lambda x, y: x + y),
        (smallest, lambda *x: min(x)),
        (median, lambda *x: statistics.median(x)),
    ):
        for given, wanted in (*rows(problem, problem.cases), *rows(problem, problem.test_cases)):
            assert float(wanted) == pytest.approx(answer(*given), abs=1e-9)
    for (number,), wanted in rows(small_or_large, small_or_large.cases):
        assert wanted == ("small" if number < 1000 else "" if number < 2000 else "large")
    for (*limits, points), wanted in rows(grade, grade.cases):
        assert limits == sorted(set(limits), reverse=True)
        assert min(limits) >= 0 and max(limits) <= 100
        letter = "ABCDF"[sum(points < limit for limit in limits)]
        assert wanted == f"Student has a {letter} grade."


def test_training_and_test_cases_are_as_many_as_published():
    for problem, count in zip(PROBLEMS, (25, 100, 100, 100, 200), strict=True):
        assert (len(problem.cases.expected), len(problem.test_cases.expected)) == (count, 1000)


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "print(open('x'))",
        "a = in1.real",
        "while 1:\n  pass",
        "print(2**9**9)",
        "def f():\n  pass",
        "print(min)",
        "a = in1 = 2",
        "if in1:\n  pass",
        "print(" + "in1+" * LONGEST + "1)",
        "print('" + "a" * (MOST_PRINTED + 1) + "')",
        "print(1e13)",
    ],
)
def test_other_programs_are_refused(text):
    with pytest.raises(ValueError, match=r"^(not a |the program )"):
        run_program(text, smallest.cases.inputs)


def test_numbers_stay_within_a_limit():
    text = "a = in1*in1+9\n" + "a = a*a\n" * 40 + "print(a)"
    with contextlib.redirect_stdout(io.StringIO()):
        assert set(run_program(text, median.cases.inputs)) == {"1000000000000"}
