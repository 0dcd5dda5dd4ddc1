"""The stated cost of a stream: its RAM is exact, and its prices cover all features."""

import pytest

from dsgec.errors import DsgecError
from dsgec.export.streams.cost import deployed_cost, stream_of, stream_prices, stream_work
from dsgec.network.cost.chips import CHIPS
from tests.support.models import IRIS
from tests.support.packages import artefact_of as plain_artefact
from tests.support.signal_models import artefact_of, signal_model, signal_of


def cost(*features, chip="cortex-m0plus", **signal):
    return deployed_cost(artefact_of(signal_model(signal_of(features, **signal)), "q15"), chip)


@pytest.mark.parametrize("chip", stream_prices())
def test_more_features_cost_more(chip):
    one, more = cost("std(ax)", chip=chip), cost("std(ax)", "goertzel(ay, 3)", chip=chip)
    assert (one.flash, one.state, one.sample, one.cycles) < (
        *(more.flash, more.state, more.sample, more.cycles),
    )
    assert more.ram == more.state + more.stack
    assert more.longest == more.sample + more.cycles


def test_features_that_share_their_sums_cost_them_once():
    one, two = cost("mean(ax)", step=16), cost("mean(ax)", "std(ax)", "rms(ax)", step=16)
    alone = cost("energy(ax)", step=16)
    assert (one.state, alone.state, two.state) == (8, 8, 12)
    assert two.sample < one.sample + alone.sample


def test_windows_that_overlap_cost_a_state_each():
    one, three = cost("mean(ax)", step=16), cost("mean(ax)", step=6)
    assert three.state >= 3 * one.state - 8
    assert 1.5 * one.sample < three.sample < 3.5 * one.sample


def test_a_table_costs_its_network_and_what_is_unknown_is_refused():
    table = plain_artefact(IRIS, "q15")
    assert deployed_cost(table, "avr") == table.cost("avr")
    assert table.cost("avr").ram == table.cost("avr").stack
    stream = artefact_of(signal_model(signal_of(["mean(ax)"])), "double")
    with pytest.raises(DsgecError, match="no estimate of streams in double"):
        deployed_cost(stream, "cortex-m0plus")
    with pytest.raises(DsgecError, match="unknown chip `z80`"):
        cost("mean(ax)", chip="z80")


def test_work_is_counted_for_code_samples_and_windows():
    stream = stream_of(artefact_of(signal_model(signal_of(["std(diff(ax))"], step=8)), "q7"))
    work = stream_work(stream)
    assert work.code["kept total"] == work.code["filter diff"] == work.code["uses root"] == 1
    assert work.sample["kept total"] == 2  # two windows overlap
    assert work.window["std"] == work.window["column q7"] == 1
    assert {*stream_prices()} <= {*CHIPS}
