"""Print dsgec/api/keywords.py from the tables of settings: `python -m dsgec.api.generate`.

Type checkers and editors read signatures in the source, and scikit-learn asks an estimator's
`__init__` for its parameters.
"""

from pathlib import Path
from typing import Any

from dsgec.api.settings import ESTIMATORS_DEFAULTS, KEYWORDS, PARAMETERS, python_default
from dsgec.setting import Setting

PRINTED = Path(__file__).with_name("keywords.py")
_KINDS: dict[type, str] = {tuple: "str | Sequence[str]", dict: "Mapping[str, int]"}
_HEAD = '''"""What `dsgec.evolve` and the estimators take.

@generated from the tables of settings by `python -m dsgec.api.generate`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from dsgec.bnf.load import GrammarFile


class Keywords(TypedDict, total=False):
    """Of `dsgec.evolve`, by keyword."""

'''
_INIT = '''

class Parameters:
    """Of both estimators."""

    def __init__(
        self,
        grammar: str | GrammarFile | None = None,
        *,
'''


def _annotation(one: Setting) -> str:
    kind = f"Literal[{', '.join(map(_quoted, one.choices))}]" if one.choices else ""
    kind = kind or _KINDS.get(one.kind, one.kind.__name__)
    return f"{kind} | None" if python_default(one) is None else kind


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def printed() -> str:
    """The text of keywords.py."""
    keywords = [f"    {one.name}: {_annotation(one)}\n" for one in KEYWORDS]
    parameters = [
        f"        {one.name}: {_annotation(one)} = "
        f"{_quoted(ESTIMATORS_DEFAULTS.get(one.name, python_default(one)))},\n"
        for one in PARAMETERS
    ]
    own = {"warm_start": "bool = False", "random_state": "Any = None", "verbose": "int = 0"}
    parameters += [f"        {name}: {rest},\n" for name, rest in own.items()]
    names = ("grammar", *(one.name for one in PARAMETERS), *own)
    kept = [f"        self.{name} = {name}\n" for name in names]
    return "".join([_HEAD, *keywords, _INIT, *parameters, "    ) -> None:\n", *kept])


if __name__ == "__main__":
    PRINTED.write_text(printed(), encoding="utf-8")
