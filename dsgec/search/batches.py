"""A generation to its rows: all training rows, or the next of the batches that they are cut into.

On a large table a part of the rows says nearly as much about a network as all of them. The training
rows of a run with batches are shuffled, so that a batch is any rows that stand together.
"""

WHOLE_EVERY = 10
"""So many generations there is one that has all rows. The hall of fame is filled by these: fitness
by other rows could not be compared."""


def has_all_rows(generation: int, batch: int) -> bool:
    """Whether networks are measured by all training rows; without batches they always are."""
    return not batch or generation % WHOLE_EVERY == 0


def rows_of(generation: int, rows: int, batch: int) -> slice:
    """The rows of a generation; those that no batch is left for are only in whole generations."""
    if has_all_rows(generation, batch):
        return slice(0, rows)
    before = generation - generation // WHOLE_EVERY - 1
    start = before % (rows // batch) * batch
    return slice(start, start + batch)
