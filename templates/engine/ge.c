/* Growth, mutation and crossover: dsgec/grammar/genome/ge.py. */
#include "express.c"

enum { CODON_RANGE = INT32_MAX };

/* Draw a codon that stands for the alternative of a planned node; any if that is open. */
static int32_t draw_codon(const PlannedNode *node, Stream *random) {
    const Rule *rule = &rules[node->rule];
    int32_t count, rest = 0;
    const int32_t *allowed = find_options(node->rule, level_of(rule, node->depth), &count);
    if (node->choice == OPEN) {
        return below(random, CODON_RANGE);
    }
    while (allowed[rest] != node->choice) {
        rest++;
    }
    return rest + count * below(random, (CODON_RANGE - 1 - rest) / count + 1);
}

/* Draw the codons of a new individual. */
static int grow(Mapper *map, Stream *random) {
    int32_t i;
    if (!have_slots(&map->slots, 0)) {
        return NO_MEMORY;
    }
    clear_slots(&map->slots);
    for (i = 0; i < map->codons; i++) {
        int32_t codon = i < map->plan.length ? draw_codon(&map->plan.planned[i], random)
                                             : below(random, CODON_RANGE);
        if (!put_value(&map->slots.items[0], i, codon)) {
            return NO_MEMORY;
        }
    }
    return OK;
}

/* Draw one of the codons that were read again. */
static int mutate(Mapper *map, Stream *random) {
    int32_t read = map->wraps_left < map->wraps ? map->codons : map->slots.items[0].read;
    int32_t index = below(random, read);
    int32_t codon = below(random, CODON_RANGE);
    return put_value(&map->slots.items[0], index, codon) ? OK : NO_MEMORY;
}

/* The index of the first codon that is exchanged. */
typedef int32_t Exchange;
static const Exchange NOTHING_EXCHANGED = INT32_MAX;

static Exchange crossover(const Genotype *mother, const Genotype *father, Stream *random) {
    int32_t codons = mother->genes[0].length;
    (void)father;
    return codons > 1 ? 1 + below(random, codons - 1) : codons;
}

/* Load the codons of `own`, and those of `other` from index `exchanged` on. */
static int load_child(Slots *slots, const Genotype *own, const Genotype *other,
                      Exchange exchanged) {
    int32_t codons = own->genes[0].length;
    Slot *slot;
    if (!have_slots(slots, 0)) {
        return 0;
    }
    clear_slots(slots);
    slot = &slots->items[0];
    if (exchanged >= codons) {
        return load_gene(slots, own, &own->genes[0]);
    }
    if (!RESERVE(slot->own, slot->capacity, codons)) {
        return 0;
    }
    memcpy(slot->own, own->values, (size_t)exchanged * sizeof *slot->own);
    memcpy(slot->own + exchanged, other->values + exchanged,
           (size_t)(codons - exchanged) * sizeof *slot->own);
    slot->values = slot->own;
    slot->length = codons;
    return 1;
}

/* Map the slots, mutate them with the given probability, and map them again. */
static int vary(Mapper *map, Stream *random, double mutation, int64_t max_size, Buffer *text) {
    int error = express(map, random, max_size, text);
    if (error == OK && chance(random, mutation)) {
        error = mutate(map, random);
        error = error == OK ? express(map, random, max_size, text) : error;
    }
    return error;
}

static int is_gene(uint64_t rule, uint64_t part) {
    return rule == 0 && part == 0;
}

/* Return whether a genotype has all codons. */
static int is_complete(const Mapper *map, const Genotype *genotype) {
    return genotype->count == 1 && genotype->genes[0].length == map->codons;
}
