"""A text to 128 bits that stand for it: `hash_text` of templates/engine/scores.c."""

_C1, _C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
_WORD = (1 << 64) - 1


def hash_text(text: str) -> bytes:
    """MurmurHash3 (Appleby), the variant of 128 bits, with the seed 0."""
    data = text.encode("utf-8", "surrogatepass")
    h1 = h2 = 0
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        k1 = int.from_bytes(data[at : at + 8], "little")
        k2 = int.from_bytes(data[at + 8 : at + 16], "little")
        h1 ^= _mix1(k1)
        h1 = ((_rotate(h1, 27) + h2) * 5 + 0x52DCE729) & _WORD
        h2 ^= _mix2(k2)
        h2 = ((_rotate(h2, 31) + h1) * 5 + 0x38495AB5) & _WORD
    h2 ^= _mix2(int.from_bytes(data[whole + 8 :], "little"))
    h1 ^= _mix1(int.from_bytes(data[whole : whole + 8], "little"))
    h1 ^= len(data)
    h2 ^= len(data)
    h1 = (h1 + h2) & _WORD
    h2 = (h2 + h1) & _WORD
    h1, h2 = _finish(h1), _finish(h2)
    low = (h1 + h2) & _WORD
    high = (h2 + low) & _WORD
    return low.to_bytes(8, "little") + high.to_bytes(8, "little")


def _mix1(word: int) -> int:
    return _rotate(word * _C1 & _WORD, 31) * _C2 & _WORD


def _mix2(word: int) -> int:
    return _rotate(word * _C2 & _WORD, 33) * _C1 & _WORD


def _rotate(word: int, bits: int) -> int:
    return (word << bits | word >> (64 - bits)) & _WORD


def _finish(word: int) -> int:
    word = (word ^ word >> 33) * 0xFF51AFD7ED558CCD & _WORD
    word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53 & _WORD
    return word ^ word >> 33
