"""`python -m benchmarks.chips`: measure networks on chips, fit the coefficients, check them.

It needs the cross compilers of Debian's gcc-arm-none-eabi, gcc-avr with avr-libc and
gcc-riscv64-unknown-elf, libsimavr-dev, and the packages unicorn and scipy. Coefficients of chips
whose tools are not here, and of types that are not asked for, stay as they are.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.chips.added import new_prices
from benchmarks.chips.correct import correct
from benchmarks.chips.correct import left_out as corrected_left_out
from benchmarks.chips.fit import fit, left_out
from benchmarks.chips.measure import lacking
from benchmarks.chips.page import (
    accuracy,
    accuracy_line,
    beyond,
    read_lines_between,
    table_text,
    write_between,
)
from benchmarks.chips.results import KINDS, PACKED_TYPES, TYPES, checked, measure_all, read_lines
from dsgec.export.number_format import REALS
from dsgec.network.cost.chips import CHIPS, Prices, chip_prices, price_lists

_ROOT = Path(__file__).parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chips", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/chips"), help="measurements")
    parser.add_argument("--table", type=Path, default=_ROOT / "dsgec/network/cost/chips.toml")
    parser.add_argument("--page", type=Path, default=_ROOT / "docs/board/cost.md")
    parser.add_argument("--dtype", action="append", choices=TYPES, help="default: all types")
    parser.add_argument(
        "--add", action="store_true", help="price only functions of IEEE numbers that have no price"
    )
    parser.add_argument(
        "--correct",
        action="store_true",
        help="keep prices of packed code near those that are known",
    )
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for chip in CHIPS:
        if missing := lacking(chip):
            print(f"{chip}: {missing}", file=sys.stderr)
    found = {
        (chip, dtype): chip_prices(chip, dtype) for chip in CHIPS for dtype in price_lists(chip)
    }
    if arguments.add:
        kinds = [(c, t) for c, t in KINDS if t in REALS and t in (arguments.dtype or TYPES)]
        found |= new_prices([kind for kind in kinds if not lacking(kind[0])])
        write_prices(arguments.table, found)
        return 0
    file = arguments.out / "measured.jsonl"
    counts = {dtype: measure_all(file, dtype) for dtype in arguments.dtype or TYPES}
    lines = [line for line in read_lines(file) if line.network in counts.get(line.dtype, ())]
    wrong = [line for line in lines if line.differs]
    for line in wrong:
        print(f"{line.chip} {line.dtype} {line.network}: not the interpreter's bits")
    rows = read_lines_between(arguments.page)
    for chip, dtype in KINDS:
        own = [line for line in lines if (line.chip, line.dtype) == (chip, dtype)]
        if own:
            names = {f"random {seed}" for seed in checked(dtype)}
            learned = [line for line in own if line.network not in names]
            compared = [line for line in own if line.network in names]
            is_corrected = arguments.correct and dtype in PACKED_TYPES
            before = found[chip, dtype]
            found[chip, dtype] = (
                correct(before, learned, counts[dtype])
                if is_corrected
                else fit(learned, counts[dtype])
            )
            costs = [found[chip, dtype].cost(counts[dtype][line.network]) for line in compared]
            rows[chip, dtype] = accuracy_line(chip, dtype, compared, costs)
            others = (
                corrected_left_out(before, learned, counts[dtype])
                if is_corrected
                else left_out(learned, counts[dtype])
            )
            print(beyond(chip, dtype, others))
    text = accuracy(rows[kind] for kind in KINDS if kind in rows)
    write_prices(arguments.table, found)
    write_between(arguments.page, text)
    print(text)
    return bool(wrong)


def write_prices(path: Path, found: dict[tuple[str, str], Prices]) -> None:
    """Write the table of all prices."""
    ordered = {kind: found[kind] for kind in KINDS if kind in found}
    path.write_text(table_text(ordered), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
