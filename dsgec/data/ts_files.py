"""Read the `.ts` files of the UCR and UEA archives: a recording in each line, and its class."""

import math
import re

import numpy as np
from numpy.typing import NDArray

from dsgec.data.source import LineReader, TableSource
from dsgec.data.table import RecordingColumns, Table, TextColumn, encode_texts, parse_number
from dsgec.errors import DsgecError, Fault, Span

RECORDING = "recording"
_START = re.compile(
    rb"\s*(?:[#%][^\r\n]*[\r\n]\s*)*@(?:problemname|timestamps|univariate|missing|dimensions?|"
    rb"equallength|serieslength|classlabel|targetlabel)\b",
    re.IGNORECASE,
)
_KNOWN = {
    *("@problemname", "@timestamps", "@missing", "@univariate", "@dimension", "@dimensions"),
    *("@equallength", "@serieslength", "@classlabel", "@targetlabel"),
}
_MOST_CHANNELS = 10_000
_MOST_SAMPLES = 1 << 28


def is_ts(head: bytes) -> bool:
    """Return whether a file that starts with these bytes is a `.ts` file."""
    return _START.match(head) is not None


def read_ts(source: TableSource, lines: LineReader) -> Table:
    """Return the samples of all recordings: columns of channels, the recording and the class."""
    header = _read_header(source, lines)
    word, _, rest = header.get("@classlabel", header.get("@targetlabel", "false")).partition(" ")
    is_labelled = word.lower() == "true"
    if not is_labelled:
        raise DsgecError(
            f"{source.shown} has no labels", "Its header needs `@classLabel true LABEL LABEL …`."
        )
    known = rest.split() if "@classlabel" in header else []
    recordings: list[NDArray[np.float64]] = []
    labels: list[str] = []
    places: list[int] = []
    total = 0
    for line in lines.lines():
        text = line.strip()
        if not text or text[0] in "#%":
            continue
        span = Span(source.shown, lines.line, 1)
        *series, label = text.split(":")
        if known and label.strip() not in known:
            shown = f"`{label.strip()[:60]}`"
            raise DsgecError(Fault(f"{shown} is not one of the labels in `@classLabel`", "", span))
        one = _parse_recording(series, span)
        if recordings and one.shape[1] != recordings[0].shape[1]:
            message = f"{one.shape[1]} channels where {recordings[0].shape[1]} were expected"
            raise DsgecError(Fault(message, "Channels are separated by `:`.", span))
        total += one.size
        if total > _MOST_SAMPLES:
            raise DsgecError(f"{source.shown} has more than {_MOST_SAMPLES:,} samples")
        recordings.append(one)
        labels.append(label.strip())
        places.append(lines.line)
    if not recordings:
        raise DsgecError(f"{source.shown} has no recordings after @data")
    return _make_table(source, recordings, labels, places)


def _read_header(source: TableSource, lines: LineReader) -> dict[str, str]:
    """Return the values of the header's keywords, and leave the reader where the data begin."""
    found: dict[str, str] = {}
    for line in lines.lines():
        text = line.strip()
        if not text or text[0] in "#%":
            continue
        keyword, _, value = text.partition(" ")
        span = Span(source.shown, lines.line, 1)
        if keyword.lower() == "@data":
            if found.get("@timestamps", "false").lower() == "true":
                advice = "Write the samples without them, at a constant rate."
                raise DsgecError(Fault("samples with time stamps are not read", advice, span))
            return found
        if keyword.lower() not in _KNOWN:
            message = "expected a keyword of a .ts file, such as `@classLabel` or `@data`"
            raise DsgecError(Fault(message, "", span, text[:200]))
        found[keyword.lower()] = value.strip()
    raise DsgecError(f"{source.shown} has no @data")


def _parse_recording(series: list[str], span: Span) -> NDArray[np.float64]:
    """Return the samples of a recording; a channel that ends earlier lacks the rest."""
    if not series:
        advice = "Write samples with commas, `:` between channels, and `:` before the label."
        raise DsgecError(Fault("this recording has no samples or no label", advice, span))
    if len(series) > _MOST_CHANNELS:
        raise DsgecError(Fault(f"more than {_MOST_CHANNELS:,} channels", "", span))
    channels = []
    for number, text in enumerate(series, 1):
        cells = text.split(",")
        try:
            values = np.array(cells, dtype=np.float64)
        except ValueError:
            values = np.array([parse_number(cell) for cell in cells])
        for place in np.flatnonzero(~np.isfinite(values)).tolist():
            if cells[place].strip().lower() not in ("?", "nan", ""):
                message = f"not a finite number: `{cells[place][:60]}` in channel {number}"
                raise DsgecError(Fault(message, "`?` is a missing sample.", span))
            values[place] = math.nan
        channels.append(values)
    length = max(map(len, channels))
    if length * len(channels) > _MOST_SAMPLES:
        raise DsgecError(Fault(f"more than {_MOST_SAMPLES:,} samples", "", span))
    samples = np.full((length, len(channels)), math.nan)
    for number, values in enumerate(channels):
        samples[: len(values), number] = values
    known = np.flatnonzero(~np.isnan(samples).all(axis=1))
    return samples[: int(known[-1]) + 1 if len(known) else 0]  # some files fill up with `?`


def _make_table(
    source: TableSource,
    recordings: list[NDArray[np.float64]],
    labels: list[str],
    places: list[int],
) -> Table:
    lengths = [len(one) for one in recordings]
    channels = recordings[0].shape[1]
    names = tuple(f"c_{number}" for number in range(1, channels + 1))
    numbers = np.full((sum(lengths), channels + 2), math.nan)
    np.concatenate(recordings, out=numbers[:, :channels])
    numbers[:, channels] = np.repeat(np.arange(1, len(lengths) + 1), lengths)
    values = np.array([parse_number(label) for label in labels])
    texts = {}
    if np.isnan(values).any():
        codes, known = encode_texts(labels)
        column = TextColumn.limit(np.array(codes), known)
        texts[channels + 1] = TextColumn(
            np.repeat(column.codes, lengths), column.texts, column.overflowed
        )
    else:
        numbers[:, channels + 1] = np.repeat(values, lengths)
    window = lengths[0] if len({*lengths}) == 1 else 0
    return Table(
        *(source.name, source.shown, source.digest, (*names, RECORDING, "class"), True),
        *(numbers, texts, np.repeat(np.array(places, dtype=np.int32), lengths)),
        format="a .ts file",
        notes=tuple(source.notes),
        recorded=RecordingColumns(RECORDING, "class", window),
    )
