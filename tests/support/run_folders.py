"""Folders of runs made without evolving: a phenotype that was written by hand, on a small table."""

import json
import random

from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.folder import make_folder, open_folder
from dsgec.grammar.load import load_grammar
from dsgec.run.evidence import make_evidence
from dsgec.run.result import Result, make_record
from dsgec.run.result_folder import write_result
from dsgec.search.evolver import Generation, HistoryRow
from dsgec.search.measure import PlainMeasurer
from dsgec.search.models import make_model
from dsgec.search.problem import make_problem
from dsgec.search.settings import Settings
from dsgec.study.page import folder_page

HOSTILE = ("</script><script>alert(1)", '"><img src=x onerror=alert(2)>', "{{ 7 * 7 }}\u2028<!--")


def write_table(path, names, kinds, rows=60, seed=1):
    """Write a table whose target, the last column, depends on the first one.

    `kinds` are n for numbers, m for numbers of which some are missing, c for categories; that of
    the target is q for numbers, or the labels.
    """
    rng = random.Random(seed)
    lines = [",".join('"' + name.replace('"', '""') + '"' for name in names)]
    for number in range(rows):
        cells = []
        for kind in kinds[:-1]:
            value = rng.gauss(number % 3, 0.7)
            missing = kind == "m" and number % 7 == 3
            text = ("red", "</style>", "blue, 'dark'")[rng.randrange(3)]
            cells.append(f'"{text}"' if kind == "c" else "" if missing else repr(round(value, 3)))
        target = {"q": repr(round(number * 0.3 + rng.random(), 3))}
        cells.append(
            target.get(kinds[-1], f'"{kinds[-1].split()[number % len(kinds[-1].split())]}"')
        )
        lines.append(",".join(cells))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def make_run(folder, grammar, table, phenotype, *, plan=None, history=None):
    """Write a run's folder as the pipeline does, without the page; return problem and model."""
    settings = Settings(generations=3)
    file = load_grammar(grammar)
    dataset = make_dataset(read_table(str(table)), None, plan or Preprocessing())
    problem = make_problem(file.grammar, dataset, settings)
    last = Generation(3, 1.5, 2.0, 0, 10, 0, 5, phenotype)
    model = make_model(problem, phenotype)
    outputs = PlainMeasurer(problem).outputs(phenotype)
    record = make_record(problem, settings, file, last, model, outputs, "generations")
    rows = history or [HistoryRow(i, 2 - 0.1 * i, 3 - 0.2 * i, 0, 10, 0, 5) for i in range(4)]
    drawn = make_evidence(problem, model)
    with make_folder(folder) as opened:
        write_result(opened, Result(record, model, "table", tuple(rows), {}, "", drawn), {})
    return problem, model


def two_classes(folder, names=("a", "b", "c", "kind"), labels="no yes"):
    """Write a run on two classes; neuron 3 of layer 1 and all of layer 2 have no effect."""
    table = write_table(folder / "table.csv", names, ["n", "n", "n", labels])
    text = (
        "sig(2.0*x_1+-1.0*x_2+0.5)-sig(-1.5*x_3+0.25)-sig(1.0*x_2+3.0)"
        "--sig(1.0*h_1_1+0.5)--sig(3.0*h_1_1+-2.0*h_1_2+-1.0*x_1+0.5)"
    )
    return make_run(folder / "run", "multi_layer", table, text)


def three_classes(folder):
    """Write a run on three classes, with categories and missing numbers."""
    table = write_table(folder / "table.csv", ("a", "b", "c", "kind"), ["m", "c", "n", "x y z"])
    text = (
        "sig(2.0*x_1+-1.0*x_2+0.5)-sig(-1.5*x_5+0.25*x_3+0.25)"
        "--softmax(3.0*h_1_1+0.1,-2.0*h_1_2+0.3,1.0*x_1+-0.4*x_4+0.2)"
    )
    plan = Preprocessing(missing="median", scale="standard")
    return make_run(folder / "run", "multi_layer_softmax", table, text, plan=plan)


def many_classes(folder, count=26):
    """Write a run on many classes with long and short names."""
    labels = " ".join(f"{chr(65 + i)}{'-like' * (i % 3)}" for i in range(count))
    table = write_table(folder / "table.csv", ("a", "b", "c", "kind"), ["n"] * 3 + [labels], 520)
    outputs = ",".join(f"{1 + i}.0*h_1_1+-{i}.5*h_1_2+0.{i}" for i in range(count))
    text = f"sig(2.0*x_1+-1.0*x_2+0.5)-sig(-1.5*x_3+0.25)--softmax({outputs})"
    return make_run(folder / "run", "multi_layer_softmax", table, text)


def add_comparison(folder):
    """Add baselines, a comparison and warnings to run.json."""
    path = folder / "run.json"
    record = json.loads(path.read_text())
    none = dict.fromkeys(record["result"]["train"])
    figures = {
        part: none | {"accuracy": value} for part, value in (("train", 0.75), ("test", 0.7321))
    }
    record["result"] |= {
        "baselines": [
            {"name": "majority class", **figures},
            {"name": "logistic <b>regression", **figures},
        ],
        "comparison": {
            "with": "logistic regression",
            "metric": "accuracy",
            "difference": 0.02,
            "p": 0.143,
            "test": "McNemar",
            "verdict": "As good as <i>logistic regression.",
        },
        "warnings": ["Class `x` is <u>never predicted."],
    }
    path.write_text(json.dumps(record))


def numeric_target(folder):
    """Write a run on a numeric target."""
    table = write_table(folder / "table.csv", ("a", "b", "c", "y"), ["m", "c", "n", "q"], 700)
    plan = Preprocessing(missing="mean", scale="minmax")
    return make_run(folder / "run", "regression", table, "x_1*x_5+3.5*tanh(x_2-x_1)", plan=plan)


def report_page(folder):
    """Return the page of a folder."""
    with open_folder(folder) as opened:
        return folder_page(opened)
