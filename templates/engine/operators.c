/* Operators of the caller: dsgec/search/operators.py. */
#ifndef DSGEC_OPERATORS_C
#define DSGEC_OPERATORS_C
#include "selection.c"

/* Return a genotype of the caller as one of the engine, which must not be changed. */
static Genotype read_genotype(const dsgec_engine_genotype *given) {
    Genotype genotype;
    memset(&genotype, 0, sizeof genotype);
    memcpy(&genotype.genes, &given->genes, sizeof genotype.genes);
    memcpy(&genotype.values, &given->values, sizeof genotype.values);
    genotype.count = given->count;
    return genotype;
}

static int load_genotype(Mapper *map, const dsgec_engine_genotype *given) {
    Genotype genotype = read_genotype(given);
    return load_child(&map->slots, &genotype, &genotype, NOTHING_EXCHANGED) ? OK : NO_MEMORY;
}

/* Mutate the genotype in the slots, which was mapped, by the caller's operator, and map it. */
static int mutate_by_caller(const dsgec_engine *e, Thread *own, Individual *child,
                            Stream *random) {
    Mapper *map = &own->mapping;
    dsgec_engine_genotype before, after;
    int error;
    if (!store_genotype(&child->genotype, &map->slots)) {
        return NO_MEMORY;
    }
    before.genes = child->genotype.genes;
    before.values = child->genotype.values;
    before.count = child->genotype.count;
    if (e->settings.mutate(&before, &random->state, &after) < 0) {
        return OPERATOR_FAILED;
    }
    error = load_genotype(map, &after);
    return error == OK ? express(map, random, e->settings.max_size, &child->phenotype) : error;
}

/* Cross two parents by the caller's operator. */
static int cross_by_caller(const dsgec_engine *e, const Individual *mother,
                           const Individual *father, Stream *random,
                           dsgec_engine_genotype *children) {
    int64_t result = e->settings.cross(mother - e->population, father - e->population,
                                       &random->state, children);
    return result < 0 ? OPERATOR_FAILED : OK;
}
#endif
