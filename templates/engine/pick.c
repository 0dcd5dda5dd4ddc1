/* Alternatives with probabilities: dsgec/grammar/genome/psge.py. */
#ifndef DSGEC_PICK_C
#define DSGEC_PICK_C
#include "genome.c"
#include "growth.c"

enum { CODON_BITS = 31, LARGEST_CODON = INT32_MAX, ONE = 1 << 30 };

/* Whether the integers of a rule are ranks of numerals instead of codons. */
static inline int has_ranks(int32_t rule) {
    return LEARNING && makes_weights(rule);
}

/* Return the alternative in whose share of the probabilities a codon falls. */
static int32_t pick(const int32_t *probabilities, int32_t rule, int32_t level, int32_t codon) {
    const Room *room = &rooms[rules[rule].first_room + level];
    const int32_t *allowed = options + room->first_option;
    const int32_t *own = probabilities + rules[rule].first_production;
    uint64_t total = 0, left;
    int32_t i;
    for (i = 0; i < room->options; i++) {
        total += (uint64_t)own[allowed[i]];
    }
    if (total == 0) {
        return allowed[(uint64_t)codon * (uint64_t)room->options >> CODON_BITS];
    }
    left = (uint64_t)codon * total >> CODON_BITS;
    for (i = 0; left >= (uint64_t)own[allowed[i]]; i++) {
        left -= (uint64_t)own[allowed[i]];
    }
    return allowed[i];
}

/* Return the alternative of the next codon of a rule, which is drawn if it is missing; -1 without
 * memory. */
static int32_t choose_by_codon(Slot *slots, int32_t rule, int32_t level, int32_t index,
                               Stream *random) {
    Slot *slot = &slots[rule];
    int32_t value = index < slot->length ? slot->values[index] : -1;
    int32_t count = rules[rule].productions;
    if (has_ranks(rule)) {
        if ((uint32_t)value < (uint32_t)count) {
            return value;
        }
        value = below(random, count);
        return put_value(slot, index, value) ? value : -1;
    }
    if (value < 0) {
        value = count > 1 ? below(random, LARGEST_CODON) : 0;
        if (!put_value(slot, index, value)) {
            return -1;
        }
    }
    return pick(slots[grammar.rules].values, rule, level, value);
}
#endif
