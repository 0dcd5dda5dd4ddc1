"""MNIST with images of 8 x 8 pixels, from the four files of its authors, and its own split."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dsgec.data.arrays import make_table
from dsgec.data.dataset import Dataset, Split
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.setting import make

SIDE = 8
_FILES = {"train": "train", "test": "t10k"}


def load_mnist(folder: Path) -> tuple[Dataset, Split]:
    """Return the images averaged to 8 x 8 pixels with their digits, and the official split."""
    images, digits = [], []
    for name in _FILES.values():
        images.append(_averaged(_read(folder / f"{name}-images-idx3-ubyte", 3)))
        digits.append(_read(folder / f"{name}-labels-idx1-ubyte", 1))
    columns = {
        f"p{row}{column}": values
        for (row, column), values in zip(
            np.ndindex(SIDE, SIDE), np.concatenate(images).T, strict=True
        )
    }
    table = make_table(columns, [f"d{digit}" for digit in np.concatenate(digits)], target="digit")
    dataset = make_dataset(table, "digit", preprocessing=make(Preprocessing, {}, learned=True))
    count = len(digits[0])
    rows = np.arange(count + len(digits[1]))
    return dataset, Split(rows[:count], rows[count:])


def _read(path: Path, dimensions: int) -> NDArray[np.uint8]:
    """Read a file of bytes: its sizes, of 32 bits each, are behind a magic number."""
    data = path.read_bytes()
    sizes = np.frombuffer(data, ">u4", dimensions, offset=4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions).reshape(sizes)


def _averaged(images: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the means of squares of pixels; a pixel on an edge belongs to both, by its shares."""
    side = images.shape[1]
    edges = np.arange(SIDE + 1) * (side / SIDE)
    pixels = np.arange(side)
    low = np.maximum(edges[:-1, None], pixels)
    high = np.minimum(edges[1:, None], pixels + 1)
    shares = np.maximum(high - low, 0.0) * (SIDE / side)
    found = np.einsum("ip,npq,jq->nij", shares, images.astype(np.float64), shares)
    return np.round(found.reshape(len(images), -1))
