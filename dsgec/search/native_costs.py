"""A problem to what the engine counts the costs of its networks with."""

from dsgec.engine.costs import EngineCosts, EngineOperation, EnginePrices
from dsgec.network.cost.chips import chip_prices
from dsgec.network.cost.work import operation_kind
from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.model import prologue
from dsgec.search.problem import Problem


def make_costs(problem: Problem) -> EngineCosts:
    """What is done to the columns and, if it is minimised, what is paid for each kind of work."""
    columns = problem.dataset.inputs
    before = prologue(columns)
    return EngineCosts(
        tuple(_operation(before, position) for position in range(len(before.nodes))),
        before.outputs,
        tuple(column.fill is None for column in columns),
        len(problem.dataset.classes),
        problem.decides_by_threshold,
        _prices(problem),
    )


def _operation(network: Network, position: int) -> EngineOperation:
    match network.nodes[position]:
        case Constant(value):
            return EngineOperation(value=value)
        case Input(column):
            return EngineOperation(column=column)
        case Apply(_, arguments) as node:
            return EngineOperation(operation_kind(network, node), arguments)


def _prices(problem: Problem) -> EnginePrices | None:
    if not problem.has_prices:
        return None
    own = chip_prices(problem.chip, problem.dtype)
    if problem.minimise == "cycles":
        return EnginePrices(own.cycles, {}, {})
    return EnginePrices(own.flash, own.once, own.needs)
