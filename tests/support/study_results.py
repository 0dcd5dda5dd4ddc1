"""Studies and results that are written by hand."""

from dsgec.search.settings import Settings
from dsgec.study.definition import Cell, Data, Quick, Row, Study, StudyGrammar, StudyPart, TablePlan
from dsgec.study.results import CellResult

ONE, TWO = Data("one", "one", None, "One"), Data("two", "two", None, "Two")
GRAMMAR = StudyGrammar("net", "net")


def outcome(fitness, *, rmse=0.5, accuracy=0.5, layers=1, neurons=3, changes=None, task=None):
    if task == "regression":
        figures = {"rmse": rmse, "mae": rmse / 2, "r2": accuracy}
    else:
        figures = {"accuracy": accuracy, "rmse": rmse, "auroc": accuracy, "f1": None}
    sizes = {"layers": layers, "neurons": neurons, "features": 12, "connections": 20}
    task = task or "classification"
    changes = changes or ((0, fitness),)
    return CellResult(fitness, task, figures, figures, sizes, 1000, tuple(changes))


def make_study(data=(ONE,), runs=4, **more):
    names = ("a", "b")
    parts = tuple(
        StudyPart(name, ("dsge",), (GRAMMAR,), data, (10,) * len(data), (Settings(),))
        for name in names
    )
    rows = (Row("A", "a", "dsge", "net"), Row("B", "b", "dsge", "net", against="A"))
    plan = TablePlan("t", "Of A and B", rows, data, tuple(d.name for d in data))
    return Study("s", runs, 1, Quick(), parts, (plan,), **more)


def make_results(study, outcomes):
    """Return results; `outcomes[part, data]` are in the order of the seeds."""
    results = {}
    for (part, data), every in outcomes.items():
        for number, one in enumerate(every):
            results[Cell(part, GRAMMAR, data, Settings(seed=study.seed + number))] = one
    return results
