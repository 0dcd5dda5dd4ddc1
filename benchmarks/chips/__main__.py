"""`python -m benchmarks.chips`: measure networks on chips, fit the coefficients, check them.

It needs the cross compilers of Debian's gcc-arm-none-eabi, gcc-avr with avr-libc and
gcc-riscv64-unknown-elf, libsimavr-dev, and the packages unicorn and scipy. Coefficients of chips
whose tools are not here stay as they are.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.chips.fit import fit
from benchmarks.chips.page import accuracy, table_text, write_between
from benchmarks.chips.results import CHECKED, KINDS, measure_all, models, read_lines
from dsgec.network.cost import prices, work

_ROOT = Path(__file__).parents[2]
_CHECKED = {f"random {seed}" for seed in CHECKED}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chips", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/chips"), help="measurements")
    parser.add_argument("--table", type=Path, default=_ROOT / "dsgec/network/chips.toml")
    parser.add_argument("--page", type=Path, default=_ROOT / "docs/cost.md")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / "measured.jsonl"
    for line in measure_all(file):
        print(f"{line.chip} {line.dtype} {line.network}: {line.flash} bytes", file=sys.stderr)
    counts = {name: work(model) for name, model in models().items()}
    lines = [line for line in read_lines(file) if line.network in counts]
    wrong = [line for line in lines if line.differs]
    for line in wrong:
        print(f"{line.chip} {line.dtype} {line.network}: not the interpreter's bits")
    found, rows = {}, []
    for chip, dtype in KINDS:
        own = [line for line in lines if (line.chip, line.dtype) == (chip, dtype)]
        checked = [line for line in own if line.network in _CHECKED]
        learned = [line for line in own if line.network not in _CHECKED]
        found[chip, dtype] = fit(learned, counts) if learned else prices(chip, dtype)
        costs = [found[chip, dtype].of(counts[line.network]) for line in checked]
        if checked:
            rows.append((chip, dtype, checked, costs))
    arguments.table.write_text(table_text(found), encoding="utf-8")
    write_between(arguments.page, accuracy(rows))
    print(accuracy(rows))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
