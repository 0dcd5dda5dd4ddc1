/* Learn probabilities from the best individual before a generation is bred: `prepare` of
 * dsgec/search/breeding.py. */
#ifndef DSGEC_LEARN_BEST_C
#define DSGEC_LEARN_BEST_C
#include "individual.c"

#if PROBABILISTIC && LEARNS_FROM_BEST
/* Find the best parent or, every second time, the best of the last generation's children. */
static const Individual *find_teacher(const dsgec_engine *e, int64_t elites) {
    int64_t best = e->generation % 2 ? 0 : elites, i;
    for (i = best + 1; !MINIMISES && i < e->settings.population; i++) {
        best = is_better(e->population, i, best) ? i : best;
    }
    return &e->population[best];
}

static int learn_from_best(dsgec_engine *e) {
    Mapper *map = &e->threads[0].mapping;
    Stream random = stream(0, 0, 0);
    int64_t elites = e->generation > 1 ? e->settings.elites : 0;
    size_t count = (size_t)count_alternatives(), i;
    const Genotype *last = &e->population[elites].genotype;
    const Individual *best = find_teacher(e, elites);
    Slot learned;
    Buffer text;
    int error = OK;
    if (e->generation == 0) {
        return OK;
    }
    memset(&learned, 0, sizeof learned);
    memset(&text, 0, sizeof text);
    learned.values = last->values + find_gene(last, grammar.rules)->start;
    learned.length = (int32_t)count;
    if (!RESERVE(map->shares, map->shares_capacity, count)) {
        return NO_MEMORY;
    }
    memset(map->shares, 0, count * sizeof *map->shares);
    if (!best->invalid) {
        error = load_child(&map->slots, &best->genotype, &best->genotype, NOTHING_EXCHANGED)
                    ? express(map, &random, e->settings.max_size, &text)
                    : NO_MEMORY;
        count_choices(map, map->shares);
        clear_slots(&map->slots);
    }
    if (error == OK) {
        error = learn_probabilities(&learned, map->shares, e->settings.learning_factor);
    }
    if (error == OK && !RESERVE(e->probabilities, e->probabilities_capacity, count)) {
        error = NO_MEMORY;
    }
    for (i = 0; error == OK && i < count; i++) {
        e->probabilities[i] = learned.values[i];
    }
    free(learned.own);
    free(text.data);
    return error;
}
#else
static int learn_from_best(dsgec_engine *e) {
    (void)e;
    return OK;
}
#endif
#endif
