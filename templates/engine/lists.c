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

/* Empty the slots for a new individual: the mapping draws everything. */
static int grow(Mapper *map, Stream *random) {
    (void)random;
    clear_slots(&map->slots);
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
