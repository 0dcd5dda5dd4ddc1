/* How the probabilities of Co-PSGE vary: dsgec/grammar/genome/psge.py. */
#include "probabilistic.c"
#define LEARNS_FROM_BEST 0

/* Mutate one probability of a rule by `change`; the others make room. */
static int mutate_probability(Mapper *map, int32_t rule, int32_t moved, double change) {
    Slot *slot = &map->slots.items[grammar.rules];
    int32_t first = rules[rule].first_production, count = rules[rule].productions, i;
    double others = change / (double)(count - 1);
    if (!RESERVE(map->shares, map->shares_capacity, count)) {
        return NO_MEMORY;
    }
    for (i = 0; i < count; i++) {
        double own = as_double(slot->values[first + i]);
        own = i == moved ? own + (change + others) : own;
        own = own - others;
        map->shares[i] = own > 0.0 ? own : 0.0;
    }
    return put_probabilities(slot, first, map->shares, count) ? OK : NO_MEMORY;
}

/* Mutate at most one probability of each rule. */
static int vary_probabilities(Mapper *map, Stream *random) {
    int32_t r, i;
    for (r = 0; r < grammar.rules; r++) {
        for (i = 0; has_probabilities(r) && i < rules[r].productions; i++) {
            if (chance(random, map->settings->grammar_mutation)) {
                double change = map->settings->grammar_deviation * gaussian(random);
                int error = mutate_probability(map, r, i, change);
                if (error != OK) {
                    return error;
                }
                break;
            }
        }
    }
    return OK;
}

/* Mutate the probabilities, and then the codons that are mapped by them. */
static int vary(Mapper *map, Stream *random, double mutation, int64_t max_size, Buffer *text) {
    int error = vary_probabilities(map, random);
    return error == OK ? vary_codons(map, random, mutation, max_size, text) : error;
}

/* Give a child the probabilities of a parent. */
static void inherit_probabilities(Slots *slots, const int32_t *learned, const Genotype *parent) {
    const Gene *gene = find_gene(parent, grammar.rules);
    (void)learned;
    (void)load_gene(slots, parent, gene);
}
