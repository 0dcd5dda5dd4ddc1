/* The cost of a network: its connections, or its flash or cycles on a chip. */
#ifndef DSGEC_COST_C
#define DSGEC_COST_C
#include "individual.c"

#if MINIMISES
/* Sum the prices of all operations, and once those of the parts that their kinds need. */
static int64_t sum_prices(const int64_t *counts, const dsgec_engine_prices *prices) {
    int64_t total = prices->base, kind, part;
    uint64_t needed = prices->base_needs;
    for (kind = 0; kind < KINDS; kind++) {
        total += counts[kind] * prices->each[kind];
        needed |= counts[kind] > 0 ? prices->needs[kind] : 0;
    }
    for (part = 0; needed > 0; part++, needed >>= 1) {
        total += needed & 1 ? prices->once[part] : 0;
    }
    return total;
}

#endif

/* Find the cost of the network of a phenotype with so many connections. */
static Outcome find_cost(const dsgec_engine *e, Thread *own, const char *text, size_t length,
                         int32_t size, int64_t *cost) {
    *cost = size;
#if MINIMISES
    if (e->settings.prices != NULL) {
        if (simplify_phenotype(&own->describer, e->table.features, text, length) != OK ||
            !count_work(&own->work, &own->describer.network, own->describer.parser.softmax,
                        e->settings.prologue)) {
            return SCORE_NO_MEMORY;
        }
        *cost = sum_prices(own->work.counts, e->settings.prices);
    }
#else
    (void)e, (void)own, (void)text, (void)length;
#endif
    return SCORED;
}

int dsgec_engine_work(dsgec_engine *e, const char *text, size_t length, int64_t *counts) {
    const dsgec_environment found = dsgec_enter();
    Describer *d = &e->describer;
    int error = e->settings.prologue == NULL
                    ? BAD_CALL
                    : simplify_phenotype(d, e->table.features, text, length);
    if (error == OK &&
        !count_work(&e->work, &d->network, d->parser.softmax, e->settings.prologue)) {
        error = NO_MEMORY;
    }
    if (error == OK) {
        memcpy(counts, e->work.counts, sizeof e->work.counts);
    }
    dsgec_leave(found);
    return error;
}
#endif
