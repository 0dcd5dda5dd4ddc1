"""Recover a law of chemistry from noisy measurements, with a grammar that knows some chemistry.

python examples/domain_grammar/recover.py [FOLDER]

Writes the measurements, and the formula as C, to FOLDER (build/rate). README.md explains the steps.
"""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np

import dsgec

HERE = Path(__file__).parent
COLUMNS = ("temperature", "a", "b", "inhibitor", "stirrer")
LAW = "900000 * (exp(-4.2 * (1000 / temperature)) * a * sqrt(b) / (1 + 1.5 * inhibitor))"


def law(temperature, a, b, inhibitor, stirrer):
    """The rate of the reaction. The stirrer makes no difference."""
    return 900000 * np.exp(-4.2 * (1000 / temperature)) * a * np.sqrt(b) / (1 + 1.5 * inhibitor)


def measure(experiments, coolest, hottest, noise, seed):
    """Settings of so many experiments, and the rate that was measured in each."""
    random = np.random.default_rng(seed)
    low, high = (coolest, 0.2, 0.2, 0.0, 100.0), (hottest, 2.0, 2.0, 3.0, 600.0)
    x = random.uniform(low, high, (experiments, len(COLUMNS))).round(3)
    error = 1 + noise * random.standard_normal(experiments)
    return x, (law(*x.T) * error).round(4)


def write_table(path, x, y):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, "rate"])
        writer.writerows([*row, rate] for row, rate in zip(x.tolist(), y.tolist(), strict=True))


def r2(actual, predicted):
    return 1 - ((actual - predicted) ** 2).sum() / ((actual - actual.mean()) ** 2).sum()


folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/rate")
folder.mkdir(parents=True, exist_ok=True)

# 1. Measure: 200 experiments between 300 and 360 kelvin, each with an error of about 3 %.
table = folder / "rate.csv"
write_table(table, *measure(200, 300, 360, noise=0.03, seed=1))

# 2. Check the grammar against the table: errors are listed here, before any time is spent.
check = [sys.executable, "-m", "dsgec", "check", str(HERE / "rate.bnf"), "--data", str(table)]
subprocess.run(check, check=True)

# 3. Evolve. Physical units stay as they are: scale="none".
run = dsgec.evolve(HERE / "rate.bnf", table, scale="none", effort="quick")

# 4. Compare with the law: on test rows, and on hotter experiments than any that was measured.
print(f"\nlaw    {LAW}")
print(f"found  {run.network.formula.removeprefix('rate = ')}\n")
hot, rates = measure(200, 380, 420, noise=0, seed=2)
test, outside = run.metrics["test"]["r2"], r2(rates, run.predict(hot))
ridge = next(one for one in run.record["result"]["baselines"] if one["name"] != "mean")
print(f"R² of the test rows: {test:.4f} ({ridge['name']}: {ridge['test']['r2']:.4f})")
print(f"R² at 380 to 420 kelvin, where nothing was measured: {outside:.4f}")

# 5. Take it along: the formula as C.
run.export("c", folder, name="rate")
