"""A model whose columns are of every kind."""

from dsgec.network.model import Column, Model
from dsgec.network.parse import parse

COLUMNS = (
    Column("size", fill=2.5, center=0.1, scale=0.3),
    Column("unused", center=1.0),
    Column("wet", "boolean", ("no", "yes"), fill=0.0),
    Column("colour", "category", ("red", "green", "blue"), fill=2.0),
    Column("shape", "category", ("round", "flat")),
)
MODEL = Model(
    parse("2 * x_1 + 10 * x_3 + 100 * x_4 + 200 * x_5 + 400 * x_6 + 1000 * x_8", inputs=8), COLUMNS
)
