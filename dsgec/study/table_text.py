"""Print tables as text, Markdown and LaTeX."""

import unicodedata
from collections.abc import Iterable, Sequence

from dsgec.study.tables import ResultTable, TableBlock

PRINTED = "paper"
"""The heading of the columns of printed figures."""


def plain_text(tables: Sequence[ResultTable]) -> str:
    """Return the tables for a terminal, in aligned columns."""
    return "\n".join(_plain(number, table) for number, table in enumerate(tables, 1))


def markdown(tables: Sequence[ResultTable]) -> str:
    """Return the tables as Markdown."""
    return "\n".join(_markdown(number, table) for number, table in enumerate(tables, 1))


def latex(tables: Sequence[ResultTable]) -> str:
    """Return the tables as LaTeX in the layout of Assunção et al.; needs multirow and graphicx."""
    needed = "% \\usepackage{multirow} \\usepackage{graphicx}\n\n"
    return needed + "\n".join(map(_latex, tables))


def _headings(table: ResultTable) -> list[str]:
    columns = map(_on_one_line, table.columns)
    return [h for c in columns for h in ([c, PRINTED] if table.has_printed else [c])]


def _fields(table: ResultTable, entries: Iterable[tuple[str, str, str]]) -> list[str]:
    fields = []
    for text, mark, printed in entries:
        fields.append(f"{text} {mark}".rstrip())
        if table.has_printed:
            fields.append(printed or "–")
    return fields


def _rows(table: ResultTable) -> list[list[str]]:
    """Return group, measure, label and fields of each row; the first two only where they begin."""
    rows = []
    group = ""
    for block in table.blocks:
        for number, line in enumerate(block.lines):
            begins = number == 0
            new_group = begins and block.group and block.group != group
            rows.append(
                [
                    block.group if new_group else "",
                    block.measure if begins else "",
                    _on_one_line(line.label),
                    *_fields(table, line.entries),
                ]
            )
        group = block.group
    return rows


def _plain(number: int, table: ResultTable) -> str:
    rows = [["", "", "", *_headings(table)], *_rows(table)]
    widths = [max(_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(map(_pad, row, widths)).rstrip() for row in rows]
    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    height = len(table.blocks[0].lines) if table.blocks else 0
    body = [lines[0], rule]
    for position, line in enumerate(lines[1:]):
        starts = position and height and position % height == 0
        if starts and _is_border(table.blocks, position // height):
            body.append(rule)
        body.append(line)
    return "\n".join(
        [
            f"Table {number}. {_on_one_line(table.title)}",
            "",
            *body,
            rule,
            *map(_on_one_line, table.notes),
            "",
        ]
    )


def _is_border(blocks: Sequence[TableBlock], position: int) -> bool:
    """Return whether a rule separates a block from the one above: not within a group."""
    above, below = blocks[position - 1].group, blocks[position].group
    return not above or above != below


def _on_one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(bool(unicodedata.combining(c)) for c in text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _markdown(number: int, table: ResultTable) -> str:
    head = ["", "", "", *_headings(table)]
    lines = [f"**Table {number}. {_escape_markdown(table.title)}**", ""]
    lines.append("| " + " | ".join(map(_escape_markdown, head)) + " |")
    lines.append("|" + "---|" * len(head))
    for row in _rows(table):
        fields = [f"**{_escape_markdown(field)}**" if field else "" for field in row[:2]]
        lines.append("| " + " | ".join([*fields, *map(_escape_markdown, row[2:])]) + " |")
    return "\n".join([*lines, "", *(f"{_escape_markdown(note)}  " for note in table.notes), ""])


def _escape_markdown(text: str) -> str:
    """Return a text escaped for Markdown."""
    return "".join(f"\\{c}" if c in r"\`*_{}[]<>#|~" else c for c in _on_one_line(text))


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\^{}",
    "~": r"$\sim$",
    "±": r"$\pm$",
    "≥": r"$\ge$",
    ">": "$>$",
    "<": "$<$",
    "²": "$^2$",
    "–": r"\textendash{}",
}


def _escape_latex(text: str) -> str:
    """Return a text escaped for LaTeX."""
    plain = "".join(_LATEX.get(c, c) for c in _on_one_line(text))
    return plain.replace("--", "{-}{-}")  # two of them would become one dash


def _tex_figure(text: str) -> str:
    """Return a figure for LaTeX, with its sign raised as in the paper."""
    parts = text.split(" ")
    if len(parts) == 4:
        sign = {"~": r"\sim"}.get(parts[3], parts[3])
        return f"{_escape_latex(' '.join(parts[:3]))}$^{{{sign}}}$"
    return _escape_latex(text)


def _latex(table: ResultTable) -> str:
    headings = _headings(table)
    last = 3 + len(headings)
    lines = [
        r"\begin{table}",
        r"\centering\footnotesize\setlength{\tabcolsep}{2pt}",
        rf"\caption{{{_escape_latex(table.title)}. {_escape_latex(' '.join(table.notes))}}}",
        rf"\begin{{tabular}}{{ccc|{'c|' * len(headings)}}}",
        rf"\cline{{4-{last}}}",
        " & ".join([" ", " ", " ", *map(_escape_latex, headings)]) + r" \\ \hline",
    ]
    for position, block in enumerate(table.blocks):
        height = len(block.lines)
        group = block.group
        together = [b for b in table.blocks if b.group == group] if group else []
        for number, line in enumerate(block.lines):
            measure = _multirow(height, _escape_latex(block.measure)) if number == 0 else ""
            if not group:
                start = [rf"\multicolumn{{2}}{{|c|}}{{{measure}}}"]
            else:
                turned = ""
                if number == 0 and block is together[0]:
                    rows = sum(len(b.lines) for b in together)
                    turned = _multirow(
                        rows, rf"\rotatebox[origin=c]{{90}}{{{_escape_latex(group)}}}"
                    )
                start = [
                    rf"\multicolumn{{1}}{{|c|}}{{{turned}}}",
                    rf"\multicolumn{{1}}{{c|}}{{{measure}}}",
                ]
            fields = map(_tex_figure, _fields(table, line.entries))
            lines.append(" & ".join([*start, _escape_latex(line.label), *fields]) + r" \\")
        ends = position + 1 == len(table.blocks) or _is_border(table.blocks, position + 1)
        lines[-1] += r" \hline" if ends else rf" \cline{{2-{last}}}"
    return "\n".join([*lines, r"\end{tabular}", r"\end{table}", ""])


def _multirow(height: int, text: str) -> str:
    return rf"\multirow{{{height}}}{{*}}{{{text}}}"
