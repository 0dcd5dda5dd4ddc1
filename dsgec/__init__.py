"""dsgec: a grammar and a table in, a small neural network as source code out."""

__version__ = "0.1.0"
