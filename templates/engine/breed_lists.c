/* Children by the paper's operators on lists of integers: dsgec/search/breeding.py. */
#include "selection.c"
#include "variant.h"
#if !TREES && !defined(DSGEC_BREED_LISTS_C)
#define DSGEC_BREED_LISTS_C

/* Give a child the probabilities of its generation or of a parent: those of its representation. */
static void inherit(const dsgec_engine *e, Mapper *map, const Individual *parent) {
#if PROBABILISTIC
    inherit_probabilities(&map->slots, e->probabilities, &parent->genotype);
#else
    (void)e;
    (void)map;
    (void)parent;
#endif
}

static void vary_lists(const dsgec_engine *e, Mapper *map, Individual *child, Stream *random) {
    child->rates.count = 0;
    TIMED(mapping, child->error = vary(map, random, e->settings.mutation, e->settings.max_size,
                                       &child->phenotype));
    store_individual(map, child);
}

static void breed_pair(void *owner, int64_t task, int thread) {
    dsgec_engine *e = owner;
    Thread *own = &e->threads[thread];
    Mapper *map = &own->mapping;
    int64_t first = e->settings.elites + 2 * task;
    Individual *children = &e->offspring[place_of_child(e, first)];
    Stream random = stream(e->settings.seed, (uint64_t)e->generation, (uint64_t)first);
    const Individual *mothers = select_parent(e, own, &random);
    const Individual *fathers = select_parent(e, own, &random);
    const Individual *better = mothers->fitness < fathers->fitness ? mothers : fathers;
    const Genotype *mother = &mothers->genotype, *father = &fathers->genotype;
    Individual *child = &children[0];
    Exchange exchanged = NOTHING_EXCHANGED;
    int crosses = chance(&random, e->settings.crossover);
    if (crosses) {
        exchanged = crossover(mother, father, &random);
    }
    if (!load_child(&map->slots, mother, father, exchanged)) {
        child->error = NO_MEMORY;
        return;
    }
    inherit(e, map, crosses ? better : mothers);
    vary_lists(e, map, child, &random);
    if (first + 1 < e->settings.population) {
        random = stream(e->settings.seed, (uint64_t)e->generation, (uint64_t)first + 1);
        child++;
        if (!load_child(&map->slots, father, mother, exchanged)) {
            child->error = NO_MEMORY;
            return;
        }
        inherit(e, map, crosses ? better : fathers);
        vary_lists(e, map, child, &random);
    }
}
#endif
