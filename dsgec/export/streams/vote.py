"""The program that counts the votes of windows: `stream_vote(latest, votes)` returns the class.

`votes` has the classes of the last windows, the latest first, and `EMPTY` where there were none. It
counts as `dsgec.signal.smooth` does.
"""

from dsgec.program import ir

EMPTY = -2

_LATEST, _CHOSEN, _MOST, _OWN, _COUNT, _I, _J = map(
    ir.Variable, ("latest", "chosen", "most", "own", "count", "i", "j")
)
_ONE, _ZERO = ir.Number(1), ir.Number(0)


def vote_procedure(votes: int) -> ir.Procedure:
    """Return the procedure that adds the class of a window and counts so many votes."""
    array = ir.ArrayParameter("votes", "int8", votes, (ir.LIMITS["int8"],) * votes, is_written=True)
    last = ir.Binary("-", ir.Number(votes - 1), _I)
    move = ir.Store("votes", last, ir.Element("votes", ir.Binary("-", last, _ONE), "int8"))
    is_own = ir.Binary("==", ir.Element("votes", _J, "int8"), _OWN, "bool")
    add = ir.Update(_COUNT, ir.Binary("+", _COUNT, ir.Select(is_own, _ONE, _ZERO)))
    is_empty = ir.Binary("==", _OWN, ir.Number(EMPTY), "bool")
    is_more = ir.Binary(">", _COUNT, _MOST, "bool")
    count = (
        ir.Declare(_OWN, ir.Element("votes", _I, "int8")),
        ir.Declare(_COUNT, _ZERO),
        ir.Loop(_J, ir.Number(votes), (add,)),
        ir.Update(_COUNT, ir.Select(is_empty, _ZERO, _COUNT)),
        ir.Update(_CHOSEN, ir.Select(is_more, _OWN, _CHOSEN)),
        ir.Update(_MOST, ir.Select(is_more, _COUNT, _MOST)),
    )
    body = (
        ir.Loop(_I, ir.Number(votes - 1), (move,)),
        ir.Store("votes", _ZERO, _LATEST),
        ir.Declare(_CHOSEN, _LATEST),
        ir.Declare(_MOST, _ZERO),
        ir.Loop(_I, ir.Number(votes), count),
    )
    about = "Count the votes of the last windows. Returns the class of most, of equals the latest."
    return ir.Procedure("stream_vote", about, (_LATEST, array), body, _CHOSEN)
