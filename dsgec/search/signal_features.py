"""Bring a grammar and a log together: features of windows become columns of the data set."""

from dsgec.data.dataset import Dataset
from dsgec.data.window_features import with_window_features
from dsgec.errors import DsgecError, mention
from dsgec.grammar.expand import expand
from dsgec.grammar.ir import Grammar
from dsgec.grammar.load import GrammarFile
from dsgec.grammar.signal import expand_signal, has_channels
from dsgec.signal.description import Call

_OF_SAMPLES = ("mean", "std", "rms", "min", "max", "range", "zero_crossings", "peaks")
_OF_STEPS = ("std", "mean_change", "max")
_MOST_CYCLES = 8


def name_features(file: GrammarFile, dataset: Dataset) -> tuple[GrammarFile, Dataset]:
    """Return a grammar over columns, and the data set that has these columns.

    A grammar of tables, which names no features, has a standard choice of them. Without windows, or
    if this was done before, nothing changes.
    """
    windows = dataset.windows
    if windows is None:
        if has_channels(file.grammar):
            raise DsgecError(
                f"the grammar {file.name} is for signals, and {dataset.name} is a table",
                f"If its rows are samples, cut them into windows with {mention('window', 64)};"
                " otherwise choose another grammar.",
            )
        return file, dataset
    if windows.calls:
        return file, dataset
    if has_channels(file.grammar):
        calls = expand_signal(file.grammar, windows.channels, windows.window).calls
        return file, with_window_features(dataset, calls)
    return file, with_window_features(dataset, standard_features(windows.channels, windows.window))


def expand_for(grammar: Grammar, dataset: Dataset) -> Grammar:
    """Return a grammar without short forms for a data set; columns take the place of features."""
    windows = dataset.windows
    if windows and has_channels(grammar):
        pairs = zip(windows.calls, dataset.columns, strict=True)
        columns = [call for call, column in pairs if column.kind != "constant"]
        grammar = expand_signal(grammar, windows.channels, windows.window).on_columns(columns)
    return expand(grammar, len(dataset.features), max(len(dataset.classes), 1))


def standard_features(channels: tuple[str, ...], window: int) -> list[Call]:
    """Return features for each channel, for grammars that name none."""
    calls = []
    for channel in channels:
        calls += [Call(name, (channel,)) for name in _OF_SAMPLES]
        calls += [Call(name, (Call("diff", (channel,)),)) for name in _OF_STEPS]
        cycles = range(1, min(_MOST_CYCLES, (window - 1) // 2) + 1)
        calls += [Call("goertzel", (channel, k)) for k in cycles]
    return calls
