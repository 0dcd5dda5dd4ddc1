"""Describe a grammar: its symbols, recursion, limits and largest network."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from dsgec.data.dataset import Dataset
from dsgec.grammar.expand import expand, needs_features, needs_outputs
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.ir import LINEAR, Alternative, Grammar, NonTerminal, Terminal
from dsgec.grammar.load import GrammarFile
from dsgec.grammar.recursion import Recursion, analyse_recursion, depth_limits, make_size_bound
from dsgec.grammar.signal import expand_signal, has_channels
from dsgec.network.ir import ACTIVATIONS
from dsgec.network.syntax import ALIASES
from dsgec.search.check import check_language, check_task
from dsgec.search.signal_features import expand_for, name_features
from dsgec.search.text_problem import expand_text_grammar

_NAMES = "|".join(alias for alias, name in ALIASES.items() if name in ACTIVATIONS)
_ACTIVATION = re.compile(rf"\b(?:{_NAMES})\s*\(")
_EXAMPLE_FEATURES, _EXAMPLE_OUTPUTS = 4, 2
_EXAMPLE_CHANNELS: tuple[str, ...] = ("ax", "ay", "az")
_EXAMPLE_WINDOW = 64


def describe_grammar(
    file: GrammarFile, dataset: Dataset | None, max_depth: Mapping[str, int]
) -> str:
    """Return the page; raise DsgecError if its phenotypes are not networks that fit the table."""
    features = _EXAMPLE_FEATURES
    outputs = max(len(dataset.classes), 1) if dataset else _EXAMPLE_OUTPUTS
    calls = 0
    if dataset:
        file, dataset = name_features(file, dataset)
        features = len(dataset.features)
        grammar = expand_for(file.grammar, dataset)
    elif has_channels(file.grammar):
        signal = expand_signal(file.grammar, _EXAMPLE_CHANNELS, _EXAMPLE_WINDOW)
        features = calls = len(signal.calls)
        grammar = expand(signal.on_columns(signal.calls), features, outputs)
    else:
        grammar = expand(file.grammar, features, outputs)
    untried: list[str] = []
    has_columns = dataset or calls or needs_features(file.grammar)
    networks = check_language(grammar, features if has_columns else None, untried)
    remark = check_task(networks, dataset, grammar.directives.output) if dataset else ""
    made = sorted({len(network.outputs) for network in networks})
    recursion = analyse_recursion(grammar)
    limits = depth_limits(grammar, max_depth)
    numbers = {rule.name: number for number, rule in enumerate(grammar.rules)}
    by_name = {name: limits[number] for name, number in numbers.items()}

    def largest(weight: Callable[[Alternative], int]) -> Callable[[str], int]:
        return make_size_bound(grammar, recursion, by_name, weight)

    lines = [
        *_symbol_lines(file.name, grammar, limits, recursion),
        *_role_lines(grammar),
        f"  outputs     {' or '.join(map(str, made))}",
        f"  at most     {_largest_network(grammar, largest)}",
    ]
    if calls:
        count, window = len(_EXAMPLE_CHANNELS), _EXAMPLE_WINDOW
        lines.append(
            f"  counted     for {calls} features of {count} channels in {window} samples and"
            f" {outputs} classes; --data takes a log's"
        )
    elif not dataset and (needs_features(file.grammar) or needs_outputs(file.grammar)):
        lines.append(
            f"  counted     for {features} features and {outputs} classes; --data takes a table's"
        )
    if untried:
        lines.append(
            f"  not tried   {len(untried)} of the symbols, <{untried[0]}> and those after it: the"
            " texts of this grammar are too many and too long to check them all"
        )
    if remark:
        lines.append(f"  note        {remark}")
    return "\n".join(lines)


def describe_text_grammar(file: GrammarFile, max_depth: Mapping[str, int]) -> str:
    """Return the page of a grammar whose phenotypes are any text."""
    grammar = expand_text_grammar(file.grammar, _EXAMPLE_FEATURES, _EXAMPLE_OUTPUTS)
    limits = make_rule_tables(grammar, max_depth).limits
    lines = _symbol_lines(file.name, grammar, limits, analyse_recursion(grammar))
    if grammar.directives.indent:
        lines.append("  lines       {: and :} stand for indented lines")
    if needs_features(file.grammar) or needs_outputs(file.grammar):
        lines.append(
            f"  counted     for {_EXAMPLE_FEATURES} features and {_EXAMPLE_OUTPUTS} outputs"
        )
    return "\n".join(lines)


def _symbol_lines(
    name: str, grammar: Grammar, limits: Sequence[int], recursion: Recursion
) -> list[str]:
    """Return how many symbols and alternatives a grammar has, and how deep it recurses."""
    alternatives = sum(len(rule.alternatives) for rule in grammar.rules)
    recursive = [
        f"<{rule.name}> at most {limit} deep"
        for rule, limit, is_recursive in zip(
            grammar.rules, limits, map(any, recursion.recursive), strict=True
        )
        if is_recursive
    ]
    return [
        f"{name}: no faults",
        f"  symbols     {len(grammar.rules)}, with {alternatives} alternatives;"
        f" it starts at <{grammar.directives.start}>",
        f"  recursion   {', '.join(recursive) or 'none'}",
    ]


def _role_lines(grammar: Grammar) -> list[str]:
    roles = grammar.directives
    lines = []
    if roles.layer:
        output = f", <{roles.output_layer}> is the output" if roles.output_layer else ""
        lines.append(
            f"  layers      <{roles.layer}> is a hidden layer{output};"
            f" <{roles.features}> is made again for each"
        )
    if roles.output == LINEAR:
        lines.append("  scaling     the output goes onto its line of least squares to the target")
    elif roles.output:
        lines.append(f"  squashing   the output goes through a {roles.output}")
    return lines


def _largest_network(
    grammar: Grammar, largest: Callable[[Callable[[Alternative], int]], Callable[[str], int]]
) -> str:
    """Return the size of the largest network within the depth limits."""
    roles = grammar.directives
    start = roles.start
    reads = roles.features or (
        "features" if any(r.name == "features" for r in grammar.rules) else ""
    )
    parts = []
    if roles.layer:
        parts.append(f"{_format_count(largest(_mentions(roles.layer))(start))} hidden layers")
    neurons = largest(_activations)(roles.layer or start)
    if neurons:
        parts.append(f"{_format_count(neurons)} neurons" + (" a layer" if roles.layer else ""))
    if neurons and reads:
        bodies = (a for rule in grammar.rules for a in rule.alternatives if _activations(a))
        below = largest(_mentions(reads))
        widest = max(
            sum(
                (s.name == reads) + below(s.name)
                for s in body.symbols
                if isinstance(s, NonTerminal)
            )
            for body in bodies
        )
        parts.append(f"{_format_count(widest)} connections a neuron")
    if not roles.layer:  # the names of hidden neurons are in no rule
        parts.append(f"{_format_count(largest(_characters)(start))} characters")
    return ", ".join(parts)


def _mentions(name: str) -> Callable[[Alternative], int]:
    return lambda alternative: sum(
        isinstance(symbol, NonTerminal) and symbol.name == name for symbol in alternative.symbols
    )


def _characters(alternative: Alternative) -> int:
    return sum(len(s.text) for s in alternative.symbols if isinstance(s, Terminal))


def _activations(alternative: Alternative) -> int:
    return sum(
        len(_ACTIVATION.findall(s.text)) for s in alternative.symbols if isinstance(s, Terminal)
    )


def _format_count(number: int) -> str:
    if number < 10**15:
        return f"{number:,}"
    return f"more than 10^{int((number.bit_length() - 1) * math.log10(2))}"
