"""The cost of a network on a chip: kinds of work, their prices, and how work is counted."""
