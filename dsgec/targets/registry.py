"""The targets by their names, from the folders that the package lists."""

from importlib import import_module

from dsgec.targets import DESCRIPTIONS
from dsgec.targets.target import Target

TARGETS: dict[str, Target] = {
    name: import_module(f"dsgec.targets.{name}").TARGET for name in DESCRIPTIONS
}
