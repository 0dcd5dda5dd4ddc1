/* What PSGE learns from the best individual of a generation: dsgec/grammar/genome/psge.py. */
#include "probabilistic.c"
#define LEARNS_FROM_BEST 1

/* Vary codons only: the probabilities of PSGE are learned. */
static int vary(Mapper *map, Stream *random, double mutation, int64_t max_size, Buffer *text) {
    return vary_codons(map, random, mutation, max_size, text);
}

/* Give a child the probabilities of its generation. */
static void inherit_probabilities(Slots *slots, const int32_t *learned, const Genotype *parent) {
    (void)parent;
    slots->items[grammar.rules].values = learned;
    slots->items[grammar.rules].length = count_alternatives();
}

/* Count the alternatives that the mapping has taken. */
static void count_choices(const Mapper *map, double *counts) {
    const int32_t *probabilities = map->slots.items[grammar.rules].values;
    size_t n;
    for (n = 0; n < map->choice_count; n++) {
        const Choice *choice = &map->choices[n];
        const Rule *rule = &rules[choice->slot];
        if (has_probabilities(choice->slot)) {
            int32_t codon = map->slots.items[choice->slot].values[choice->index];
            int32_t level = choice->room - rule->first_room;
            counts[rule->first_production + pick(probabilities, choice->slot, level, codon)] += 1.0;
        }
    }
}

/* Change the probabilities in a slot by the counts of the best individual, or keep those of a rule
 * that it does not use. */
static int learn_probabilities(Slot *slot, double *counts, double factor) {
    int32_t r, i;
    for (r = 0; r < grammar.rules; r++) {
        int32_t first = rules[r].first_production, count = rules[r].productions;
        double total = 0.0, *own = counts + first;
        for (i = 0; i < count; i++) {
            total += own[i];
        }
        if (!has_probabilities(r) || total == 0.0) {
            continue;
        }
        for (i = 0; i < count; i++) {
            double old = as_double(slot->values[first + i]), more = old + factor * own[i] / total;
            own[i] = own[i] > 0.0 ? (more < 1.0 ? more : 1.0) : old - factor * old;
        }
        if (!put_probabilities(slot, first, own, count)) {
            return NO_MEMORY;
        }
    }
    return OK;
}
