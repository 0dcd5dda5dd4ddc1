/* Growth, mutation and crossover of PSGE and Co-PSGE: dsgec/grammar/genome/psge.py. */
#ifndef DSGEC_PROBABILISTIC_C
#define DSGEC_PROBABILISTIC_C
#include "express.c"

/* Return how many alternatives all rules have. */
static int32_t count_alternatives(void) {
    const Rule *last = &rules[grammar.rules - 1];
    return last->first_production + last->productions;
}

/* Whether the probabilities of a rule change. */
static int has_probabilities(int32_t rule) {
    return rules[rule].productions > 1 && !has_ranks(rule);
}

static int32_t as_integer(double probability) {
    return (int32_t)(probability * ONE + 0.5);
}

static double as_double(int32_t integer) {
    return (double)integer / (double)ONE;
}

/* Draw a codon for a planned alternative while all alternatives are equally likely. */
static int32_t draw_codon(const PlannedNode *node, Stream *random) {
    const Rule *rule = &rules[node->rule];
    int32_t count, share = ONE / rule->productions;
    const int32_t *allowed = find_options(node->rule, level_of(rule, node->depth), &count), *own;
    uint64_t at, total = (uint64_t)count * (uint64_t)share;
    if (rule->productions == 1) {
        return 0;
    }
    for (own = allowed; *own != node->choice; own++) {
    }
    at = (uint64_t)(own - allowed) * (uint64_t)share + (uint64_t)below(random, share);
    return (int32_t)(((at << CODON_BITS) + total - 1) / total);
}

/* Begin with what is planned, and make all alternatives of a rule equally likely. */
static int grow(Mapper *map, Stream *random) {
    Slot *probabilities, *rates;
    int32_t r, i, at = 0;
    if (!have_slots(&map->slots, MORE_GENES)) {
        return NO_MEMORY;
    }
    clear_slots(&map->slots);
    for (i = 0; i < map->plan.length; i++) {
        const PlannedNode *node = &map->plan.planned[i];
        Slot *slot = &map->slots.items[node->rule];
        if (node->choice != OPEN && !put_value(slot, slot->length, draw_codon(node, random))) {
            return NO_MEMORY;
        }
    }
    probabilities = &map->slots.items[grammar.rules];
    rates = probabilities + 1;
    for (r = 0; r < grammar.rules; r++) {
        for (i = 0; i < rules[r].productions; i++) {
            if (!put_value(probabilities, at++, ONE / rules[r].productions)) {
                return NO_MEMORY;
            }
        }
        if (map->settings->adaptive && !put_value(rates, r, as_integer(map->settings->mutation))) {
            return NO_MEMORY;
        }
    }
    return OK;
}

static const Gene *find_gene(const Genotype *genotype, int32_t rule) {
    int32_t i;
    for (i = genotype->count - 1; i >= 0 && genotype->genes[i].rule > rule; i--) {
    }
    return i >= 0 && genotype->genes[i].rule == rule ? &genotype->genes[i] : NULL;
}

/* Which genes are exchanged: one draw from `mask` for each rule. */
typedef struct {
    int crossed;
    Stream mask;
} Exchange;
static const Exchange NOTHING_EXCHANGED = {0, {0}};

static Exchange crossover(const Genotype *mother, const Genotype *father, Stream *random) {
    Exchange exchange = {1, *random};
    int32_t r;
    (void)mother;
    (void)father;
    for (r = 0; r < grammar.rules; r++) {
        (void)below(random, 2);
    }
    return exchange;
}

/* Load the list and the rate of each rule from `own` or, where they are exchanged, from `other`. */
static int load_child(Slots *slots, const Genotype *own, const Genotype *other,
                      Exchange exchange) {
    const Gene *rates = find_gene(own, grammar.rules + 1), *gene;
    const Gene *others = find_gene(other, grammar.rules + 1);
    int32_t r, o = 0, t = 0;
    clear_slots(slots);
    if (!have_slots(slots, MORE_GENES)) {
        return 0;
    }
    for (r = 0; r < grammar.rules; r++) {
        int swapped = exchange.crossed && below(&exchange.mask, 2);
        const Genotype *from = swapped ? other : own;
        int32_t *at = swapped ? &t : &o;
        for (; *at < from->count && from->genes[*at].rule < r; (*at)++) {
        }
        if (*at < from->count && from->genes[*at].rule == r &&
            !load_gene(slots, from, &from->genes[*at])) {
            return 0;
        }
        if (rates != NULL && others != NULL &&
            !put_value(&slots->items[grammar.rules + 1], r,
                       from->values[(swapped ? others : rates)->start + r])) {
            return 0;
        }
    }
    gene = find_gene(own, grammar.rules);
    return gene == NULL || load_gene(slots, own, gene);
}

static double clip(double value) {
    value = value > 0.0 ? value : 0.0;
    return value < 1.0 ? value : 1.0;
}

static int vary_rates(Mapper *map, Stream *random) {
    Slot *rates = &map->slots.items[grammar.rules + 1];
    int32_t r;
    for (r = 0; map->settings->adaptive && r < grammar.rules; r++) {
        if (chance(random, map->settings->rate_mutation)) {
            double moved = as_double(rates->values[r]) +
                           map->settings->rate_deviation * gaussian(random);
            if (!put_value(rates, r, as_integer(clip(moved)))) {
                return NO_MEMORY;
            }
        }
    }
    return OK;
}

/* Mutate each codon that was read with the rate of its rule. */
static int mutate(Mapper *map, Stream *random, double mutation) {
    const Slot *rates = &map->slots.items[grammar.rules + 1];
    int32_t r, i;
    for (r = 0; r < grammar.rules; r++) {
        Slot *slot = &map->slots.items[r];
        double rate = rates->length > 0 ? as_double(rates->values[r]) : mutation;
        for (i = 0; rules[r].productions > 1 && i < slot->read; i++) {
            int32_t value = slot->values[i];
            if (!chance(random, rate)) {
                continue;
            }
            if (has_ranks(r)) {
                int32_t other = below(random, rules[r].productions - 1);
                value = other + (other >= value);
            } else {
                double moved = (double)value * 0x1p-31 + CODON_DEVIATION * gaussian(random);
                value = (int32_t)(clip(moved) * (double)LARGEST_CODON);
            }
            if (!put_value(slot, i, value)) {
                return NO_MEMORY;
            }
        }
    }
    return OK;
}

/* Mutate the rates, map the slots, mutate the codons by the rates, and map them again. */
static int vary_codons(Mapper *map, Stream *random, double mutation, int64_t max_size,
                       Buffer *text) {
    int error = vary_rates(map, random);
    error = error == OK ? express(map, random, max_size, text) : error;
    error = error == OK ? mutate(map, random, mutation) : error;
    return error == OK ? express(map, random, max_size, text) : error;
}

static int is_gene(uint64_t rule, uint64_t part) {
    return rule < (uint64_t)(grammar.rules + MORE_GENES) && part == 0;
}

/* Return whether a genotype has probabilities, and rates if they are adaptive. */
static int is_complete(const Mapper *map, const Genotype *genotype) {
    const Gene *probabilities = find_gene(genotype, grammar.rules);
    const Gene *rates = find_gene(genotype, grammar.rules + 1);
    int32_t r, i, at = 0;
    if (probabilities == NULL || probabilities->length != count_alternatives() ||
        (rates != NULL ? rates->length : 0) != (map->settings->adaptive ? grammar.rules : 0)) {
        return 0;
    }
    for (r = 0; r < grammar.rules; r++) {
        int64_t total = 0;
        for (i = 0; i < rules[r].productions; i++) {
            total += genotype->values[probabilities->start + at++];
        }
        if (total > INT32_MAX) {
            return 0;
        }
    }
    return 1;
}

/* Store probabilities that sum to 1; `each` has `count` of any sum. */
static int put_probabilities(Slot *slot, int32_t first, const double *each, int32_t count) {
    double total = 0.0;
    int32_t i;
    for (i = 0; i < count; i++) {
        total += each[i];
    }
    for (i = 0; i < count; i++) {
        if (!put_value(slot, first + i, as_integer(each[i] / total))) {
            return 0;
        }
    }
    return 1;
}
#endif
