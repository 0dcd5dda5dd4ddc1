"""Print dsgec/api/printed/keywords.py from the tables of settings: `python -m dsgec.api.generate`.

Type checkers and editors read signatures in the source, and scikit-learn asks an estimator's
`__init__` for its parameters.
"""

from pathlib import Path
from typing import Any

from dsgec.api.settings import CLASSIFIER_PARAMETERS, KEYWORDS, PARAMETERS, python_default
from dsgec.setting import Setting

PRINTED = Path(__file__).parent / "printed" / "keywords.py"
_KINDS: dict[type, str] = {tuple: "str | Sequence[str]", dict: "Mapping[str, int]"}
_HEAD = '''"""The keyword arguments of `dsgec.evolve` and the parameters of the estimators.

@generated from the tables of settings by `python -m dsgec.api.generate`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from dsgec.grammar.load import GrammarFile


class Keywords(TypedDict, total=False):
    """The keyword arguments of `dsgec.evolve`."""

'''
_INIT = '''

class {}:
    """{}"""

    def __init__(
        self,
        grammar: str | GrammarFile | None = None,
        *,
'''


def _annotation(one: Setting) -> str:
    literal = f"Literal[{', '.join(map(_quote, one.choices))}]"
    kind = literal if one.choices else _KINDS.get(one.kind, one.kind.__name__)
    kind += f' | Literal["{one.instead}"]' if one.instead else ""
    return f"{one.name}: {kind}{' | None' if python_default(one) is None else ''}"


def _quote(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def render_keywords() -> str:
    """Return the text of keywords.py."""
    weights = 'class_weight: Mapping[Any, float] | Literal["balanced"] | None = None'
    return "".join(
        [
            _HEAD,
            *(f"    {_annotation(one)}\n" for one in KEYWORDS),
            *_class("Parameters", "The parameters of both estimators.", PARAMETERS),
            *_class(
                "ClassifierParameters(Parameters)",
                "The parameters of the classifier.",
                CLASSIFIER_PARAMETERS,
                weights,
            ),
        ]
    )


def _class(head: str, sentence: str, settings: tuple[Setting, ...], *more: str) -> list[str]:
    """Return the lines of a class that keeps its parameters, as scikit-learn requires."""
    parameters = [
        *(f"{_annotation(one)} = {_quote(python_default(one))}" for one in settings),
        *more,
        *("warm_start: bool = False", "random_state: Any = None", "verbose: int = 0"),
    ]
    names = ["grammar", *(parameter.partition(":")[0] for parameter in parameters)]
    return [
        _INIT.format(head, sentence),
        *(f"        {parameter},\n" for parameter in parameters),
        "    ) -> None:\n",
        *(f"        self.{name} = {name}\n" for name in names),
    ]


if __name__ == "__main__":
    PRINTED.write_text(render_keywords(), encoding="utf-8")
