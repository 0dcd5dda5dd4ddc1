"""Records of runs for tests that need no run."""

from dsgec.network.structure import Size
from dsgec.run.record import DataRecord, GrammarRecord, ModelRecord, ResultRecord, RunRecord


def result_record(**fields):
    """Return a result of which only these fields are meaningful."""
    default = {
        **dict.fromkeys(("fitness", "score"), 1.0),
        **dict.fromkeys(("generations", "evaluations"), 1),
        **dict.fromkeys(("objective", "ended", "phenotype"), ""),
        "train": {"accuracy": 0.5},
        "test": {"accuracy": 0.5},
        "network": Size(1, 1, 1, 1),
    }
    return ResultRecord(**{**default, **fields})


def run_record(settings, **result):
    """Return the record of a run with these settings and this result."""
    data = DataRecord("t", "", "", "classification", {}, 1, 1)
    grammar, model = GrammarRecord("g", ""), ModelRecord("", "", {})
    return RunRecord("", grammar, data, settings, model, result_record(**result))
