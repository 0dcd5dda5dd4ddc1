/* Children by the paper's operators on lists of integers: dsgec/search/breeding.py. */
#include "operators.c"
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

static void vary_lists(const dsgec_engine *e, Thread *own, Individual *child, Stream *random) {
    Mapper *map = &own->mapping;
    child->rates.count = 0;
    if (EXTERNAL && e->settings.mutate != NULL) {
        child->error = express(map, random, e->settings.max_size, &child->phenotype);
        if (child->error == OK && chance(random, e->settings.mutation)) {
            child->error = mutate_by_caller(e, own, child, random);
        }
        store_individual(map, child);
        return;
    }
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
    const Individual *better;
    Individual *child = &children[0];
    const Genotype *mother, *father;
    Genotype crossed[2];
    dsgec_engine_genotype made[2];
    Exchange exchanged = NOTHING_EXCHANGED;
    int crosses;
    if (mothers == NULL || fathers == NULL) {
        child->error = OPERATOR_FAILED;
        return;
    }
    better = mothers->fitness < fathers->fitness ? mothers : fathers;
    mother = &mothers->genotype;
    father = &fathers->genotype;
    crosses = chance(&random, e->settings.crossover);
    if (EXTERNAL && crosses && e->settings.cross != NULL) {
        child->error = cross_by_caller(e, mothers, fathers, &random, made);
        if (child->error != OK) {
            return;
        }
        crossed[0] = read_genotype(&made[0]);
        crossed[1] = read_genotype(&made[1]);
        mother = &crossed[0];
        father = &crossed[1];
    } else if (crosses) {
        exchanged = crossover(mother, father, &random);
    }
    if (!load_child(&map->slots, mother, father, exchanged)) {
        child->error = NO_MEMORY;
        return;
    }
    inherit(e, map, crosses ? better : mothers);
    vary_lists(e, own, child, &random);
    if (first + 1 < e->settings.population) {
        random = stream(e->settings.seed, (uint64_t)e->generation, (uint64_t)first + 1);
        child++;
        if (!load_child(&map->slots, father, mother, exchanged)) {
            child->error = NO_MEMORY;
            return;
        }
        inherit(e, map, crosses ? better : fathers);
        vary_lists(e, own, child, &random);
    }
}
#endif
