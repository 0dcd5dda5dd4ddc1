"""PSGE and Co-PSGE follow the rules of their papers, restated here with fractions."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dsgec.grammar.expand import expand
from dsgec.grammar.genome.genotype import Derivation
from dsgec.grammar.genome.psge import ONE, CoPsge, ProbabilitySettings, Psge
from dsgec.grammar.genome.rule_tables import Child, make_rule_tables
from dsgec.grammar.load import parse_grammar
from dsgec.random import Stream

TEXT = "<e> ::= ( <e> <o> <e> ) | <v>\n<o> ::= + | - | *\n<v> ::= x | y\n%max-depth e=3\n"
TABLES = make_rule_tables(expand(parse_grammar(TEXT, any_text=True).grammar, 1, 1), {})
E, SIGN, V = range(3)
GENE, RATES = (3, 0), (4, 0)


def psge(kind=Psge, **settings):
    return kind(TABLES, 10**6, ProbabilitySettings(**settings))


def random_individual(kind, seed, **settings):
    own = psge(kind, **settings)
    stream = Stream(seed, 0, 0)
    derivation = own.express(own.grow(stream), stream)
    return own, derivation, stream


def plain_map(genotype):
    """The papers' mapping: the first alternative at which the cumulative probability passes the
    codon; at the limit of depth, of those that end, with their probabilities made to sum to 1."""
    probabilities = [Fraction(one, ONE) for one in genotype[GENE]]
    first = [0, 2, 5]
    left = {rule: list(genotype.get((rule, 0), ())) for rule in range(3)}

    def derive(rule, depth):
        codon = Fraction(left[rule].pop(0), 2**31)
        allowed = TABLES.options(rule, depth)
        own = {option: probabilities[first[rule] + option] for option in allowed}
        total, passed = sum(own.values()), Fraction(0)
        for chosen in allowed:
            passed += own[chosen] / total if total else Fraction(1, len(allowed))
            if codon < passed:
                break
        text = ""
        for symbol in TABLES.productions[rule][chosen]:
            if isinstance(symbol, Child):
                text += derive(symbol.rule, depth + 1 if symbol.deeper else 0)
            else:
                text += symbol
        return text

    return derive(E, 0)


@pytest.mark.parametrize("kind", [Psge, CoPsge])
def test_the_mapping_is_that_of_the_papers(kind):
    for seed in range(150):
        own, derivation, stream = random_individual(kind, seed)
        for _ in range(4):
            weights = [stream.below(ONE // 4) * stream.below(3) for _ in range(7)]
            genotype = {**derivation.genotype, GENE: tuple(weights)}
            mapped = own.express(genotype, stream)
            assert own.is_valid(mapped.genotype)
            # Shares in integers differ from fractions by less than 2^-31 of a codon.
            assert mapped.phenotype == plain_map(mapped.genotype)
            assert own.express(mapped.genotype, Stream(1, 2, 3)) == mapped


def test_new_individuals_take_each_alternative_with_its_probability():
    probabilities = (ONE // 4, 3 * ONE // 4, ONE // 2, ONE // 2, 0, ONE // 10, 9 * ONE // 10)
    counts = [0] * 7
    for seed in range(1_200):
        own = psge()
        genotype = {**own.grow(Stream(seed, 0, 0)), GENE: probabilities}
        derivation = own.express(genotype, Stream(seed, 0, 0))
        for rule, choice in derivation.expansions:
            counts[own.shares[rule].start + choice] += 1
    assert counts[4] == 0
    assert counts[0] / (counts[0] + counts[1]) == pytest.approx(0.25, abs=0.03)
    assert counts[2] / (counts[2] + counts[3]) == pytest.approx(0.5, abs=0.03)
    assert counts[5] / (counts[5] + counts[6]) == pytest.approx(0.1, abs=0.02)


def test_probabilities_follow_the_best_individual():
    own, derivation, _ = random_individual(Psge, 1, learning_factor=0.2)
    expansions = ((E, 0), (E, 1), (V, 0), (SIGN, 2), (E, 1), (V, 0))
    best = replace(derivation, expansions=expansions)
    learned = own.learn(own.grow(Stream(0, 0, 0)), best).probabilities
    # Taken: + factor * count / all; not taken: - factor * itself; then they are made to sum to 1.
    e = [1 / 2 + 0.2 * 1 / 3, 1 / 2 + 0.2 * 2 / 3]
    o = [0.8 / 3, 0.8 / 3, 1 / 3 + 0.2]
    v = [1 / 2 + 0.2, 0.8 / 2]
    expected = [one / sum(group) for group in (e, o, v) for one in group]
    assert [one / ONE for one in learned] == pytest.approx(expected, abs=1e-8)
    unread = replace(derivation, expansions=((E, 1), (V, 1)))
    assert own.learn({GENE: learned}, unread).probabilities[2:5] == learned[2:5]
    assert own.learn({GENE: learned}, None).probabilities == learned


def test_a_probability_ends_at_1_and_others_at_0():
    own, derivation, _ = random_individual(Psge, 1, learning_factor=1.0)
    best = replace(derivation, expansions=((E, 1), (V, 0)))
    learned = own.learn(own.grow(Stream(0, 0, 0)), best).probabilities
    assert learned[:2] == (0, ONE)
    assert learned[5:] == (ONE, 0)


def test_grammars_of_copsge_mutate_and_still_sum_to_1():
    own, derivation, _ = random_individual(CoPsge, 3, grammar_mutation=1.0)
    before = derivation.genotype
    moved = set()
    for seed in range(200):
        after = own.vary_probabilities(before, Stream(seed, 0, 0))[GENE]
        for share in own.shares:
            assert sum(after[share]) == pytest.approx(ONE, abs=4)
        first, *others = after[own.shares[SIGN]]
        assert others[0] == pytest.approx(others[1], abs=2)  # the first always mutates
        moved.add(round(first / ONE, 3))
    assert {0.0, 1.0} < moved and len(moved) > 50
    never = psge(CoPsge, grammar_mutation=0.0)
    assert never.vary_probabilities(before, Stream(1, 0, 0)) == before


def test_mutation_moves_codons_that_were_read_by_a_gaussian():
    own, derivation, _ = random_individual(Psge, 5)
    size, genotype = 4_000, {**derivation.genotype, (V, 0): (1 << 30,) * 4_000}
    read = Derivation(genotype, "", {(V, 0): size - 10}, ())
    after = own._mutate(read, 0.25, Stream(9, 0, 0))[V, 0]
    moves = [(value - (1 << 30)) / 2**31 for value in after]
    assert not any(moves[size - 10 :])
    assert sum(move != 0 for move in moves) / size == pytest.approx(0.25, abs=0.03)
    within = [move for move in moves if move and abs(move) < 0.499]
    deviation = (sum(move * move for move in within) / len(within)) ** 0.5
    assert deviation == pytest.approx(0.2698, abs=0.02)  # of a Gaussian of 0.5, cut at ±0.5
    ends = sum(value in (0, 2**31 - 1) for value in after) / sum(move != 0 for move in moves)
    assert ends == pytest.approx(0.317, abs=0.05)


def test_adaptive_rates_begin_equal_drift_and_stay_probabilities():
    settings = {"adaptive": True, "rate_deviation": 0.4, "rate_mutation": 0.5, "first_rate": 0.3}
    own, derivation, stream = random_individual(Psge, 2, **settings)
    assert derivation.genotype[RATES] == (round(0.3 * ONE),) * 3
    seen = []
    for _ in range(300):
        derivation = own.vary(derivation.genotype, 0.9, stream)
        seen += derivation.genotype[RATES]
    assert min(seen) == 0 and max(seen) == ONE and len({*seen}) > 100
    still = replace(own, settings=replace(own.settings, rate_mutation=0.0))
    fixed = {**derivation.genotype, RATES: (0, 0, ONE)}
    after = still.vary(fixed, 0.9, stream).genotype
    assert after[E, 0][: len(fixed[E, 0])] == fixed[E, 0]  # their rate is 0


def test_crossover_takes_each_list_whole_with_its_rate():
    own, one, _ = random_individual(Psge, 11, adaptive=True)
    _, two, _ = random_individual(Psge, 12, adaptive=True)
    mother = {**one.genotype, RATES: (1, 2, 3)}
    father = {**two.genotype, RATES: (4, 5, 6), GENE: (0,) * 7}
    patterns = set()
    for seed in range(100):
        first, second = own.crossover(mother, father, Stream(seed, 0, 0))
        assert first[GENE] == mother[GENE] and second[GENE] == father[GENE]
        pattern = tuple(rate > 3 for rate in first[RATES])
        patterns.add(pattern)
        for rule, swapped in enumerate(pattern):
            pair = (father, mother) if swapped else (mother, father)
            for child, parent in zip((first, second), pair, strict=True):
                assert child.get((rule, 0)) == parent.get((rule, 0))
                assert child[RATES][rule] == parent[RATES][rule]
    assert len(patterns) == 8


def test_what_is_no_genotype_is_refused():
    own, derivation, _ = random_individual(Psge, 4)
    good = dict(derivation.genotype)
    assert own.is_valid(good)
    assert not own.is_valid({**good, GENE: good[GENE][1:]})
    assert not own.is_valid({**good, GENE: (2**31 - 1,) * 7})
    assert not own.is_valid({**good, RATES: (1, 2, 3)})
    assert not own.is_valid({**good, (7, 0): (1,)})
    assert not psge(adaptive=True).is_valid(good)
