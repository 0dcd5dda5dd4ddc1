"""Tables of awkward cells for the readers of CSV, and the comparison of what they read."""

import random

HEAD = "a,b,c,d\n"
CELLS = [
    *("1", "-2.5", "+3", " 4 ", "1e3", "1E-7", ".5", "5.", "-0", "0.1", "1e22", "1e23", "1e999"),
    *("123456789.12345678", "0.30000000000000004", "2.2250738585072014e-308", "5e-324", "inf"),
    *("9007199254740993", "179769313486231570000000000000", "NA", "?", "", " ", "nan", "x y"),
    *('"quoted"', '"1.5"', '"a,b"', '"say ""so"""', '"two\nlines"', 'mid"dle', "é", "1_000", "--1"),
    *("1 2", "0x10", "1e", "e5", "٣", ".", "-", "+", "1.2.3", '""', "'x'", "1e5e", "\t7", "7\t"),
]
BLANK = ["\t,\t,\t,\t", "\xa0,,\xa0,", "\u3000, ,\x0b,\x1f", '"\t",,,', "\u2003,\x85,\u2028,"]
BLANK += ["é,,,", "日本,,,", "\u200b,,,", "\x7f,,,", "\xa0,1,,"]  # these are rows


def random_csv(seed, count=300, ragged=False):
    """Return a CSV file of four columns with random cells, blank lines and, if `ragged`, faults."""
    rng = random.Random(seed)
    plain = [cell for cell in CELLS if '"' not in cell] if seed % 3 else CELLS
    text = ""
    for row in range(count):
        width = rng.choice([3, 5]) if ragged and row > 9 and rng.random() < 0.02 else 4
        text += ",".join(rng.choice(plain) for _ in range(width)) + rng.choice(["\n", "\n", "\r\n"])
        text += rng.choice(["", "", "", "\n", ",,,\n", rng.choice(BLANK) + "\n"])
    return HEAD + text


def assert_equal_tables(one, other):
    """Assert that two tables have the same numbers, texts and lines, bit for bit."""
    assert one.numbers.tobytes() == other.numbers.tobytes()
    assert one.lines.tolist() == other.lines.tolist()
    assert one.texts.keys() == other.texts.keys()
    for column, texts in one.texts.items():
        assert texts.texts == other.texts[column].texts
        assert texts.codes.tolist() == other.texts[column].codes.tolist()
