"""Import the predictor that a run made and measure it on the test rows of the run.

python examples/use_predictor.py build/wdbc-multi_layer-seed1 [TABLE]
"""

import importlib
import json
import sys
from pathlib import Path

from dsgec.data.dataset import split
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table

folder = Path(sys.argv[1])
record = json.loads((folder / "run.json").read_text())

# The module is plain numpy: from here on dsgec only finds the test rows.
sys.path.insert(0, str(folder))
predictor = importlib.import_module(record["model"]["name"])

table = sys.argv[2] if len(sys.argv) > 2 else record["data"]["name"]
dataset = make_dataset(read_table(table), record["data"]["target"])
rows = split(dataset, record["settings"]["test"], record["settings"]["split_seed"]).test
predicted = predictor.predict(dataset.x[rows])
right = sum(
    label == dataset.classes[int(number)]
    for label, number in zip(predicted, dataset.y[rows], strict=True)
)
print(f"imported {folder / predictor.__name__}.py: test accuracy {right / len(rows):.3f}", end=" ")
print(f"({right} of {len(rows)} rows it never saw)")
