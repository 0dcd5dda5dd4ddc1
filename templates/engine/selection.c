/* Select parents: dsgec/search/selection.py. */
#ifndef DSGEC_SELECTION_C
#define DSGEC_SELECTION_C
#include "individual.c"

/* Return whether individual `i` is better than `j`; if a cost is minimised, the population is
 * sorted. */
static inline int precedes(const dsgec_engine *e, int64_t i, int64_t j) {
    return MINIMISES ? i < j : is_better(e->population, i, j);
}

static int64_t tournament(const dsgec_engine *e, Stream *random) {
    int64_t best = below(random, (int32_t)e->settings.population), i;
    for (i = 1; i < e->settings.tournament; i++) {
        int64_t other = below(random, (int32_t)e->settings.population);
        if (precedes(e, other, best)) {
            best = other;
        }
    }
    return best;
}

/* The methods, in the order of the reference: each returns the number of a parent. */
static int64_t (*const SELECTIONS[])(const dsgec_engine *e, Stream *random) = {
    tournament,
};
enum { SELECTION_COUNT = sizeof SELECTIONS / sizeof *SELECTIONS };

static const Individual *select_parent(const dsgec_engine *e, Stream *random) {
    return &e->population[SELECTIONS[e->settings.selection](e, random)];
}
#endif
