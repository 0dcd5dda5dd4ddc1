/* Representations with a list of integers for each symbol, as long as needed:
 * dsgec/grammar/genome/dsge.py. */
#ifndef DSGEC_LISTS_C
#define DSGEC_LISTS_C
#include "express.c"

#if !TREES
static int32_t count_common(const Genotype *mother, const Genotype *father) {
    int32_t m = 0, f = 0, common = 0;
    while (m < mother->count && f < father->count) {
        int order = compare_genes(&mother->genes[m], &father->genes[f]);
        common += order == 0;
        m += order <= 0;
        f += order >= 0;
    }
    return common;
}
#endif

/* Fill the slots of a new individual with what is planned: the mapping draws the rest. */
static int grow(Mapper *map, Stream *random) {
    int32_t i;
    (void)random;
    clear_slots(&map->slots);
    if (!have_slots(&map->slots, 0)) {
        return NO_MEMORY;
    }
    for (i = 0; i < map->plan.length; i++) {
        const PlannedNode *node = &map->plan.planned[i];
        Slot *slot = &map->slots.items[node->rule];
        if (node->choice != OPEN && !put_value(slot, slot->length, node->choice)) {
            return NO_MEMORY;
        }
    }
    return OK;
}

static int is_gene(uint64_t rule, uint64_t part) {
    return rule < (uint64_t)grammar.rules && (part == 0 || (int64_t)rule == grammar.features) &&
           part <= INT32_MAX / STRIDE;
}

/* Return whether a genotype is complete: here always, as the mapping draws what is missing. */
static int is_complete(const Mapper *map, const Genotype *genotype) {
    (void)map;
    (void)genotype;
    return 1;
}
#endif
