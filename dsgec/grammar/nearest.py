"""A name that does not exist to the advice that names the nearest one that does."""

from collections.abc import Iterable
from difflib import get_close_matches

MOST_NAMES = 2000
MOST_LOOKUPS = 200


class Nearest:
    """Looks for near names, but not for so long that a file of mistakes takes minutes."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._left = MOST_LOOKUPS

    def find(self, word: str) -> str | None:
        """The name nearest to `word`, if one is near enough."""
        names = self._names
        if self._left == 0 or len(word) > 200:
            return None
        self._left -= 1
        if len(names) > MOST_NAMES:
            names = [n for n in names if n[:1] == word[:1] and abs(len(n) - len(word)) < 3]
        names = [name for name in names[:MOST_NAMES] if len(name) <= 200]
        return next(iter(get_close_matches(word, names, n=1)), None)

    def advice(self, word: str, otherwise: str, form: str = "`<{}>`") -> str:
        """ "Did you mean …? Otherwise …", or only what to do otherwise."""
        near = self.find(word)
        if near is None:
            return otherwise
        return f"Did you mean {form.format(near)}? Otherwise {otherwise[0].lower()}{otherwise[1:]}"
