"""Networks linked for chips and run in simulators: the interpreter's bits, and the estimate."""

import importlib.util
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

if importlib.util.find_spec("scipy") is None:
    pytest.skip("the extra dsgec[study] is not installed", allow_module_level=True)

from benchmarks.chips.cycles import Instruction, cortex_m0plus, cortex_m4f, disassembly, rv32imc
from benchmarks.chips.fit import fit, left_out
from benchmarks.chips.measure import lacking
from benchmarks.chips.networks import random_model
from benchmarks.chips.page import (
    accuracy,
    accuracy_line,
    beyond,
    read_lines_between,
    table_text,
    write_between,
)
from benchmarks.chips.probes import fixed_probes, probe_ranges, probes
from benchmarks.chips.results import (
    CHECKED,
    KINDS,
    LEARNED,
    Line,
    checked,
    measure_line,
    random_artefact,
)
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.network.cost.chips import CHIPS, Cost, chip_prices, price_lists
from dsgec.network.cost.work import count_work
from dsgec.network.structure import measure_size

FLASH, CYCLES = 0.10, 0.20
SAMPLE = {"float": (6003, 6011), "q15": (40_000, 40_002), "q7": (40_000, 40_002)}


def assert_estimated(chip, dtype, seeds):
    """Bits of each network, and how far its estimate may be off; gives how far it is."""
    if missing := lacking(chip):
        pytest.skip(missing)
    found = []
    for seed in seeds:
        artefact = random_artefact(seed, dtype)
        line = measure_line(f"random {seed}", artefact, chip)
        own = artefact.cost(chip)
        assert not line.differs, f"network {seed} has other bits than the interpreter"
        assert own.flash == pytest.approx(line.flash, rel=FLASH), seed
        assert own.cycles == pytest.approx(line.cycles, rel=CYCLES), seed
        found.append((abs(own.flash / line.flash - 1), abs(own.cycles / line.cycles - 1)))
    return np.array(found)


@pytest.mark.parametrize(
    ("chip", "dtype"),
    [("cortex-m0plus", "float"), ("avr", "float"), ("cortex-m0plus", "q7"), ("avr", "q15")],
)
def test_an_estimate_is_what_the_linked_image_takes(chip, dtype):
    assert_estimated(chip, dtype, SAMPLE[dtype])


# Flash and cycles as `python -m benchmarks.fixed_chips` has measured them.
@pytest.mark.parametrize(
    ("chip", "dtype", "flash", "cycles"),
    [
        ("cortex-m0plus", "q15", 802, 1_931),
        ("cortex-m0plus", "q7", 542, 1_765),
        ("avr", "q15", 1_516, 9_133),
        ("avr", "q7", 1_188, 8_667),
        ("rv32imc", "q15", 832, 1_970),
        ("rv32imc", "q7", 590, 1_740),
    ],
)
def test_an_estimate_in_fixed_point_is_what_was_measured_of_seven_neurons(
    chip, dtype, flash, cycles
):
    pytest.importorskip("sklearn")
    from benchmarks.fixed_chips import sparse

    own = Artefact(sparse(), "net", dtype, ranges=((-3.0, 5.0),) * 30).cost(chip)
    assert own.flash == pytest.approx(flash, rel=FLASH)
    assert own.cycles == pytest.approx(cycles, rel=CYCLES)


@pytest.mark.campaign
@pytest.mark.parametrize(("chip", "dtype"), KINDS)
def test_estimates_of_fifty_networks_are_what_linked_images_take(chip, dtype):
    found = assert_estimated(chip, dtype, checked(dtype))

    flash, cycles = found.max(axis=0)
    print(f"{chip} {dtype}: flash within {flash:.1%}, cycles within {cycles:.1%}")
    assert len(found) == 50


def test_networks_to_check_are_of_all_sizes_and_not_those_to_learn_from():
    connections = [measure_size(random_model(seed).network).connections for seed in CHECKED]

    assert not {*CHECKED} & {*LEARNED}
    assert min(connections) <= 3
    assert max(connections) >= 50
    assert random_model(5000) == random_model(5000)


# Cycles as the tables of the manuals have them.
@pytest.mark.parametrize(
    ("rule", "text", "cycles"),
    [
        (cortex_m0plus, "adds r0, r0, r1", (1, 0)),
        (cortex_m0plus, "muls r0, r1", (1, 0)),
        (cortex_m0plus, "ldr r0, [r1, #4]", (2, 0)),
        (cortex_m0plus, "push {r4, r5, lr}", (4, 0)),
        (cortex_m0plus, "pop {r4, r5, pc}", (6, 0)),
        (cortex_m0plus, "beq 8000", (1, 1)),
        (cortex_m0plus, "bl 8000", (3, 0)),
        (cortex_m0plus, "bx lr", (2, 0)),
        (cortex_m4f, "vdiv.f32 s0, s1, s2", (14, 0)),
        (cortex_m4f, "vmul.f32 s0, s1, s2", (1, 0)),
        (cortex_m4f, "vldr s0, [r0]", (2, 0)),
        (cortex_m4f, "vpush {s16-s19}", (5, 0)),
        (rv32imc, "lw a0,0(a1)", (2, 0)),
        (rv32imc, "mulhu a0,a1,a2", (4, 0)),
        (rv32imc, "beqz a0,10074", (1, 2)),
    ],
)
def test_an_instruction_takes_the_cycles_of_the_manual(rule, text, cycles):
    name, operands = text.split(" ", 1)
    own = rule(Instruction(0, 2, name, operands), None)

    assert (own.always, own.jumping) == cycles


def test_the_float_unit_waits_for_a_result_that_is_used_at_once():
    product = Instruction(0, 4, "vmul.f32", "s0, s1, s2")

    assert cortex_m4f(Instruction(4, 4, "vadd.f32", "s3, s0, s4"), product).always == 2
    assert cortex_m4f(Instruction(4, 4, "vadd.f32", "s0, s3, s4"), product).always == 1


def test_a_disassembly_is_read():
    found = disassembly(
        "00008000 <net>:\n"
        "    8000:\tb5f0      \tpush\t{r4, r5, r6, r7, lr}\n"
        "    8002:\tf7ff fffe \tbl\t8010 <other>\n"
        "    8006:\te002      \tb.n\t800e <net+0xe>\n"
        "    8008:\t40200000 \t.word\t0x40200000\n"
    )

    assert [(i.address, i.size, i.name) for i in found.values()][:3] == [
        (0x8000, 2, "push"),
        (0x8002, 4, "bl"),
        (0x8006, 2, "b"),
    ]
    assert found[0x8000].registers == 5


def priced(model, name, own):
    """Return the cost of a model on a chip with these prices."""
    found = own.cost(count_work(model))
    routines = {
        part for kind in count_work(model) for part in own.needs[kind] if part[:6] != "dsgec_"
    }
    sizes = {part: own.once[part] for part in routines}
    return Line("avr", "float", name, found.flash, found.stack, float(found.cycles), sizes, False)


def test_known_prices_are_found_again():
    own = chip_prices("avr", "float")
    models = probes() | {f"random {seed}": random_model(seed) for seed in LEARNED[:30]}
    lines = [priced(model, name, own) for name, model in models.items()]
    counts = {name: count_work(model) for name, model in models.items()}
    found = fit(lines, counts)

    for seed in CHECKED[:20]:
        expected, given = (
            own.cost(count_work(random_model(seed))),
            found.cost(count_work(random_model(seed))),
        )
        assert given.flash == pytest.approx(expected.flash, rel=0.01)
        assert given.cycles == pytest.approx(expected.cycles, rel=0.01)


def test_known_prices_of_integers_are_found_again():
    own = chip_prices("cortex-m0plus", "q7")
    counts = {}
    for name, model in fixed_probes().items():
        if "power" not in name and "log" not in name:
            ranges = probe_ranges(name, model)
            counts[name] = Artefact(model, "net", "q7", ranges=ranges).number_format.work
    lines = []
    for name, work_ in counts.items():
        cost = own.cost(work_)
        figures = cost.flash, cost.stack, float(cost.cycles)
        lines.append(Line("cortex-m0plus", "q7", name, *figures, {}, False))
    # A network to learn the stack from; the frames of probes are not looked at.
    lines.append(replace(lines[-1], network="random 1"))
    counts["random 1"] = counts[lines[-2].network]
    found = fit(lines, counts)

    for name, work_ in counts.items():  # within what rounding to whole coefficients leaves
        expected, given = own.cost(work_), found.cost(work_)
        assert given.flash == pytest.approx(expected.flash, rel=0.05, abs=2), name
        assert given.cycles == pytest.approx(expected.cycles, rel=0.05, abs=2), name


def test_the_table_is_read_as_it_is_written():
    found = {
        (chip, dtype): chip_prices(chip, dtype) for chip in CHIPS for dtype in price_lists(chip)
    }

    assert files("dsgec.network.cost").joinpath("chips.toml").read_text() == table_text(found)


def test_a_page_gets_its_table_between_its_marks(tmp_path):
    page = tmp_path / "cost.md"
    mark, end = "<!-- made by python -m benchmarks.chips -->", "<!-- until here -->"
    page.write_text(f"before\n\n{mark}\nold\n{end}\n\nafter\n")
    line = Line("avr", "float", "random 5000", 4000, 100, 5000.0, {}, False)
    write_between(page, accuracy([accuracy_line("avr", "float", [line], [Cost(4400, 90, 4900)])]))
    text = page.read_text()

    assert text.startswith(f"before\n\n{mark}\n\n| chip |")
    assert text.endswith(f"\n{end}\n\nafter\n")
    assert "old" not in text
    assert "| 4,000 to 4,000 | 10.0% | 10.0% | 5,000 to 5,000 | 2.0% | 2.0% |" in text
    assert "| 100 to 100 | 10 | 10 |" in text
    assert [*read_lines_between(page)] == [("avr", "float")]
    write_between(page, accuracy(read_lines_between(page).values()))
    assert page.read_text() == text


def test_networks_that_are_left_out_of_a_fit_are_estimated_by_the_others():
    own = chip_prices("avr", "float")
    models = probes() | {f"random {seed}": random_model(seed) for seed in LEARNED[:12]}
    lines = [priced(model, name, own) for name, model in models.items()]
    found = left_out(lines, {name: count_work(model) for name, model in models.items()})

    assert {line.network for line, _ in found} == {f"random {seed}" for seed in LEARNED[:12]}
    far = [(found[0][0], Cost(2 * found[0][0].flash, 0, round(found[0][0].cycles)))]
    assert beyond("avr", "float", far) == (
        "avr float: of 1 left out of the fit, 1 off by more than 10% in flash, the worst by 100%,"
        " 0 off by more than 20% in cycles, the worst by 0%"
    )


def test_a_chip_without_a_type_is_not_estimated():
    with pytest.raises(DsgecError, match="no estimate for double on avr"):
        chip_prices("avr", "double")
