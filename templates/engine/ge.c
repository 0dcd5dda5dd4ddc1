/* Growth, mutation and crossover: dsgec/grammar/genome/ge.py. */
#include "express.c"

enum { CODON_RANGE = INT32_MAX };

/* Draw the codons of a new individual. */
static int grow(Mapper *map, Stream *random) {
    int32_t i;
    if (!have_slots(&map->slots, 0)) {
        return NO_MEMORY;
    }
    clear_slots(&map->slots);
    for (i = 0; i < map->codons; i++) {
        if (!put_value(&map->slots.items[0], i, below(random, CODON_RANGE))) {
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
