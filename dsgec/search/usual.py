"""What a table is learnt with where nobody says: by its task alone."""


def usual_grammar(classes: int) -> str:
    """The shipped grammar for so many classes, or for a numeric target; any number of features."""
    if not classes:
        return "regression"
    return "network" if classes == 2 else "network_softmax"
