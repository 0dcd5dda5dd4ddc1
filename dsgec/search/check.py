"""Check a grammar against a data set, and report every error at its place."""

from collections.abc import Iterable, Sequence

from dsgec.data.dataset import Dataset
from dsgec.errors import DsgecError, Fault, Span, mention, setting_error
from dsgec.grammar.genome.sample import Sample, covering_samples
from dsgec.grammar.ir import LINEAR, Grammar
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.ir import Apply, Network
from dsgec.network.parse import parse_phenotype
from dsgec.network.syntax import PhenotypeError, split_layers
from dsgec.network.unknown import can_be_unknown, unknown_label
from dsgec.search.defaults import default_grammar
from dsgec.search.settings import Settings

_MOST_FAULTS = 20


def outputs_needed(dataset: Dataset) -> tuple[int, ...]:
    """Return the numbers of outputs that a network for this task may have."""
    count = len(dataset.classes)
    return (1, 2) if count == 2 else (max(count, 1),)


def check_task(networks: Sequence[Network], dataset: Dataset, output: str = "") -> str:
    """Raise a DsgecError if no network of a grammar can do the task, or return a remark, if any.

    `output` is the value of the grammar's directive `%output`.
    """
    if output == LINEAR and dataset.classes:
        raise DsgecError(
            "the grammar has `%output linear`, which is for a numeric target, but the target has"
            f" {len(dataset.classes)} classes",
            "Choose another grammar, or another target.",
        )
    made = {len(network.outputs) for network in networks}
    needed = outputs_needed(dataset)
    if made and not made & set(needed):
        task = f"{len(dataset.classes)} classes" if dataset.classes else "a numeric target"
        others = (
            ", network_softmax, one_layer_softmax or multi_layer_softmax, which have an output for"
            " each class"
            if len(dataset.classes) > 2
            else ""
        )
        raise DsgecError(
            f"the grammar makes networks of {_join_with_or(made)}"
            f" output{'' if made == {1} else 's'}, but the target,"
            f" {task}, needs {_join_with_or(needed)}",
            f"Use the shipped grammar `{default_grammar(dataset)}`{others}.",
        )
    return _remark_on_outputs(networks, dataset, output)


def _remark_on_outputs(networks: Sequence[Network], dataset: Dataset, output: str) -> str:
    """Return a remark if the outputs of a grammar are not what the task is learned with, if any."""
    if not dataset.classes and all(network.softmax for network in networks):
        return (
            "the softmax of the only output of this grammar is always 1; the shipped grammar"
            " `regression` has no softmax"
        )
    roots = {_output_function(network) for network in networks if len(network.outputs) == 1}
    y = dataset.scaled_y
    if (
        not dataset.classes
        and output != LINEAR
        and roots == {"sig"}
        and not 0 <= y.min() <= y.max() <= 1
    ):
        scaled = ", scaled," if dataset.target_scale else ""
        return (
            f"every output of this grammar lies between 0 and 1, but `{dataset.target}`{scaled}"
            f" goes from {y.min():g} to {y.max():g}; the shipped grammar `regression` has no"
            " such bounds"
        )
    if dataset.classes and roots - {"sig"}:
        return (
            "the output of this grammar is not a sigmoid, so what it predicts need not be"
            " probabilities; `%output sigmoid` in the grammar makes it one"
        )
    return ""


def _output_function(network: Network) -> str:
    node = network.nodes[network.outputs[0]]
    return node.function if isinstance(node, Apply) else ""


def _join_with_or(counts: Iterable[int]) -> str:
    return " or ".join(map(str, sorted(counts)))


def check_language(
    grammar: Grammar, features: int | None, untried: list[str] | None = None
) -> list[Network]:
    """Parse a phenotype for every alternative of a grammar, and return the networks.

    A DsgecError has the errors, each at the place of the grammar that it came from. If a grammar is
    too large, the symbols whose alternatives were not tried are added to `untried`.
    """
    roles = grammar.directives
    layered = bool(roles.layer)
    networks: list[Network] = []
    faults: dict[tuple[str, Span | None], Fault] = {}
    good: set[tuple[str, int]] = set()
    for sample in covering_samples(grammar, untried):
        if (sample.phenotype, sample.hidden_layers) in good:
            continue
        try:
            networks.append(
                parse_phenotype(
                    sample.phenotype, layered=layered, output=roles.output, inputs=features
                )
            )
        except PhenotypeError as error:
            fault = _in_grammar(grammar, error, sample)
        else:
            if not layered or _layers_agree(grammar, sample):
                good.add((sample.phenotype, sample.hidden_layers))
                continue
            fault = grammar.fault(
                f"`--` separates layers that `<{roles.layer}>` does not stand for",
                f"Every hidden layer must come from one `<{roles.layer}>`, and hold no `--` outside"
                f" parentheses. It comes about in `{_shorten(sample.phenotype)}`.",
                grammar.rule(roles.layer).span,
            )
        faults.setdefault((fault.message, fault.span), fault)
        if len(faults) == _MOST_FAULTS:
            break
    if faults:
        raise DsgecError(faults.values())
    return networks


def _layers_agree(grammar: Grammar, sample: Sample) -> bool:
    """Return whether the mapping, which counts symbols, and the parser see the same layers."""
    hidden = len(split_layers(sample.phenotype)) - 1
    # Without a symbol for the output, the last layer is it.
    allowed = (0,) if grammar.directives.output_layer else (0, 1)
    return sample.hidden_layers - hidden in allowed


def _in_grammar(grammar: Grammar, error: PhenotypeError, sample: Sample) -> Fault:
    """Move a fault from the phenotype to the terminal of the grammar that it came from."""
    fault = error.faults[0]
    offset = 0
    span = None
    for text, place in sample.pieces:
        if place is not None:
            span = place
        offset += len(text)
        if offset > error.offset:
            break
    advice = f"{fault.advice} " if fault.advice else ""
    advice += f"It comes about in `{_shorten(sample.phenotype)}`."
    return grammar.fault(fault.message, advice, span)


def _shorten(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"


def check_limits(settings: Settings, dataset: Dataset) -> None:
    """Raise a DsgecError if the settings limit probabilities as the target does not allow."""
    has_threshold = settings.threshold != DEFAULT_THRESHOLD
    if has_threshold and len(dataset.classes) != 2:
        task = f"has {len(dataset.classes)} classes" if dataset.classes else "is numeric"
        raise setting_error(
            "threshold",
            f"is for two classes, but the target `{dataset.target}` {task}",
            "Leave it out.",
        )
    if not settings.unknown:
        return
    label = unknown_label(dataset.classes)
    why = f"would be called `{label}`, which the classes of `{dataset.target}` do not allow"
    if not dataset.classes:
        why = f"is for classes, but the target `{dataset.target}` is numeric"
    elif has_threshold:
        why = f"cannot go with {mention('threshold')}, which is another rule"
    elif can_be_unknown(dataset.classes, DEFAULT_THRESHOLD, 0.0):
        return
    raise setting_error("unknown", why, "Leave it out, or give the classes other names.")
