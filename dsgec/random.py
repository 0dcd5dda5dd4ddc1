"""The random stream of one individual, the same numbers on every machine and in every backend.

A draw depends on the seed, the generation, the individual and how many draws came before it in
that individual, and on nothing else. The generator is SplitMix64 (Steele, Lea, Flood 2014), started
at a point that mixes the three.
"""

_MASK = (1 << 64) - 1
_GAMMA = 0x9E3779B97F4A7C15


class Stream:
    """Draws, one after the other."""

    __slots__ = ("state",)

    def __init__(self, seed: int, generation: int, individual: int) -> None:
        self.state = 0
        for word in (seed, generation, individual):
            self.state = _mix((self.state + (word & _MASK) + _GAMMA) & _MASK)

    def word(self) -> int:
        """Return 64 random bits."""
        self.state = (self.state + _GAMMA) & _MASK
        return _mix(self.state)

    def below(self, count: int) -> int:
        """Draw one of 0, 1, …, count - 1; nothing is drawn if there is only one choice."""
        return (self.word() >> 32) * count >> 32 if count > 1 else 0

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return (self.word() >> 11) * 2.0**-53 < probability


def _mix(z: int) -> int:
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _MASK
    return z ^ z >> 31
