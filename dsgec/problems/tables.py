"""Read the tables of problems through dsgec's data path: reading, fill values, scales and split."""

from dataclasses import dataclass

from dsgec.data.dataset import Array, Dataset, split
from dsgec.data.preprocessing import fit_preprocessing


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The features of some rows by name, and their targets: numbers, or numbers of classes."""

    columns: dict[str, Array]
    target: Array


def split_rows(dataset: Dataset, test: float, names: tuple[str, ...] = ()) -> tuple[Rows, Rows]:
    """Return the training rows and the test rows, of which there is this share.

    Features are scaled by the training rows if the data set says so. `names` replace theirs.
    """
    parts = split(dataset, test, 1)
    dataset = fit_preprocessing(dataset, parts.train)
    named = [*zip(names or dataset.features, dataset.x.T, strict=True)]
    train, other = (
        Rows({name: column[rows].copy() for name, column in named}, dataset.y[rows])
        for rows in (parts.train, parts.test)
    )
    return train, other
