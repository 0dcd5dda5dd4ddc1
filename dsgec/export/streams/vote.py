"""The program that counts the votes of windows: `stream_vote(latest, votes)` returns the class.

`votes` has the classes of the last windows, the latest first, and `EMPTY` where there were none. It
counts as `dsgec.signal.smooth` does.
"""

from dsgec.program.ir import (
    LIMITS,
    ArrayParameter,
    Binary,
    Declare,
    Element,
    Loop,
    Number,
    Procedure,
    Select,
    Store,
    Update,
    Variable,
)

EMPTY = -2

_LATEST, _CHOSEN, _MOST, _OWN, _COUNT, _I, _J = map(
    Variable, ("latest", "chosen", "most", "own", "count", "i", "j")
)
_ONE, _ZERO = Number(1), Number(0)


def vote_procedure(votes: int) -> Procedure:
    """Return the procedure that adds the class of a window and counts so many votes."""
    array = ArrayParameter("votes", "int8", votes, (LIMITS["int8"],) * votes, is_written=True)
    last = Binary("-", Number(votes - 1), _I)
    move = Store("votes", last, Element("votes", Binary("-", last, _ONE), "int8"))
    is_own = Binary("==", Element("votes", _J, "int8"), _OWN, "bool")
    add = Update(_COUNT, Binary("+", _COUNT, Select(is_own, _ONE, _ZERO)))
    is_empty = Binary("==", _OWN, Number(EMPTY), "bool")
    is_more = Binary(">", _COUNT, _MOST, "bool")
    count = (
        Declare(_OWN, Element("votes", _I, "int8")),
        Declare(_COUNT, _ZERO),
        Loop(_J, Number(votes), (add,)),
        Update(_COUNT, Select(is_empty, _ZERO, _COUNT)),
        Update(_CHOSEN, Select(is_more, _OWN, _CHOSEN)),
        Update(_MOST, Select(is_more, _COUNT, _MOST)),
    )
    body = (
        Loop(_I, Number(votes - 1), (move,)),
        Store("votes", _ZERO, _LATEST),
        Declare(_CHOSEN, _LATEST),
        Declare(_MOST, _ZERO),
        Loop(_I, Number(votes), count),
    )
    about = "Count the votes of the last windows. Returns the class of most, of equals the latest."
    return Procedure("stream_vote", about, (_LATEST, array), body, _CHOSEN)
