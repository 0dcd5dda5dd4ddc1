"""The name of a learner to the learner; what a learner needs is imported only when it is named."""

import re
from functools import partial

from benchmarks.learner import Learner
from benchmarks.with_dsgec import VARIANTS, dsgec_learner

PEERS = ("constant", "linear", "mlp-n", "mlp-32", "forest", "boosting", "gplearn", "pyoperon")
LISTS = {"peers": PEERS, "all": (*VARIANTS, *PEERS), "default": ("dsgec", *PEERS)}

_FORMULAS = {"gplearn": "gplearn.genetic", "pyoperon": "pyoperon.sklearn"}
_PERCEPTRON = re.compile(r"mlp-(n|\d+)")


def learners_of(text: str) -> list[Learner]:
    """The learners that an option names: lists and learners, separated by commas."""
    names = [name for word in text.split(",") for name in LISTS.get(word, (word,)) if name]
    return [make_learner(name) for name in dict.fromkeys(names)]


def make_learner(name: str) -> Learner:
    """A variant of dsgec, or a peer; `mlp-8` is a perceptron of eight neurons."""
    if name in VARIANTS:
        return dsgec_learner(name, VARIANTS[name])
    if name in _FORMULAS:
        from benchmarks import formulas

        fit = {"gplearn": formulas.fit_gplearn, "pyoperon": formulas.fit_pyoperon}[name]
        modules = (_FORMULAS[name],)
        return Learner(name, fit, ("regression",), is_timed=True, needs="seconds", modules=modules)
    from benchmarks import peers

    if match := _PERCEPTRON.fullmatch(name):
        hidden = None if match[1] == "n" else int(match[1])
        fit = partial(peers.fit_perceptron, hidden)
        return Learner(name, fit, needs="neurons" if hidden is None else "")
    simple = {
        "constant": peers.fit_constant,
        "linear": peers.fit_linear,
        "forest": peers.fit_forest,
        "boosting": peers.fit_boosting,
    }
    if name not in simple:
        known = ", ".join((*LISTS, *VARIANTS, *PEERS))
        raise ValueError(f"unknown learner {name}; choose from {known}")
    return Learner(name, simple[name])
