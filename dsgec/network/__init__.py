"""Networks: their representation, parser, simplification, evaluation, formulas and costs."""
