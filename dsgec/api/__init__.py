"""The library: evolve networks from data in memory, and use them in a program."""
