"""A network over columns of known ranges to a program of integers, with a bound of its error."""
