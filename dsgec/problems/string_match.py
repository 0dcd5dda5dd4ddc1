"""String match: find a given text. The fitness is the number of wrong or missing characters."""

target = "Hello, world!"
grammar = """
<string> ::= <letter> <string> | <letter>
<letter> ::= <vowel> | <consonant> | <sign>
<vowel>  ::= a | e | i | o | u | A | E | I | O | U
<consonant> ::= b | c | d | f | g | h | j | k | l | m | n | p | q | r | s | t | v | w | x | y | z
    | B | C | D | F | G | H | J | K | L | M | N | P | Q | R | S | T | V | W | X | Y | Z
<sign> ::= " " | "," | "." | "!" | "?" | "-"
%max-depth string=20
"""
settings = {"stop_at": 0.0}


def fitness(phenotype: str) -> float:
    """Return how many characters are wrong, missing or too many."""
    wrong = sum(own != wanted for own, wanted in zip(phenotype, target, strict=False))
    return float(wrong + abs(len(phenotype) - len(target)))
