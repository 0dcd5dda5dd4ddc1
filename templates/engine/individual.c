/* An individual, the engine that evolves it, and how a mapped genotype becomes an individual:
 * dsgec/search/loop.py. */
#ifndef DSGEC_INDIVIDUAL_C
#define DSGEC_INDIVIDUAL_C
#include "representation.h"
#include "merge.c"
#include "learn.c"
#include "fitness.c"
#include "scores.c"
#include "describe.c"
#include "work.c"
#include "hall.c"
#include "threads.c"
#include "objective_fronts.c"

typedef enum { BREED, LOOK_UP, SCORE, FINISH, MEASURE } Phase;

typedef dsgec_engine_rate Rate;

typedef struct {
    Rate *items;
    size_t capacity;
    int32_t count;
} Rates;

/* A weight of a phenotype: its rule, the integer of the rule's gene that it is read from, and where
 * its numeral is. */
typedef struct {
    int32_t rule, index, rank, offset, length;
} Weight;

typedef struct {
    Genotype genotype;
    Buffer phenotype;
    Hash hash; /* of its phenotype, in an engine without learning */
    double fitness;
    int64_t cost;  /* the second objective, or else the size */
    int64_t entry; /* of its score, in an engine without learning */
    int32_t fault, invalid, error, size, outcome, evaluations;
    Weight *weights; /* in an engine that learns */
    size_t weights_capacity;
    int32_t weight_count, learns; /* 0 if an integer is read twice */
    Rates rates;
#if TREES
    Tree tree; /* of the genotype, or without nodes: see KEEPS_TREES */
#endif
} Individual;

#if LEARNING
/* The working memory of a thread that learns: for each weight, its place, value, gradient and
 * destination. */
typedef struct {
    dsgec_engine_weight *weights;
    double *values, *gradient, *moved;
    int32_t *ranks;
    size_t weights_capacity, values_capacity, gradient_capacity, moved_capacity, ranks_capacity;
    Buffer text;
} Steps;

static void free_steps(Steps *steps) {
    free(steps->weights);
    free(steps->values);
    free(steps->gradient);
    free(steps->moved);
    free(steps->ranks);
    free(steps->text.data);
}
#endif

/* The working memory of a thread that selects by cases. */
typedef struct {
    int32_t *pool, *cases;
    double *errors; /* of an individual in all rows */
    size_t pool_capacity, cases_capacity, errors_capacity;
} Choosing;

typedef struct {
    Mapper mapping;
    Scorer scorer;
    Choosing choosing;
#if TREES
    Trees trees;
    Merger merger;
    Rates rates;
#endif
#if LEARNING
    Steps steps;
#endif
#if MINIMISES
    Describer describer;
    Work work;
#endif
} Thread;

/* What selection by cases needs to know of a population: its valid individuals, the cases of this
 * generation, and how much worse than the best an individual may be in each case. */
typedef struct {
    int32_t *valid, *cases;
    double *epsilons, *sorted;
    int64_t *rows;  /* that are the cases, if networks are scored */
    double *values; /* of each individual in each of these cases */
    size_t valid_capacity, cases_capacity, epsilons_capacity, sorted_capacity, rows_capacity;
    size_t values_capacity;
    int32_t valid_count, case_count, are_measured;
} Cases;

struct dsgec_engine {
    dsgec_engine_settings settings;
    Table table;
    Targets targets, sampled;
    dsgec_engine_group window; /* of `sampled` */
    const Targets *current;    /* of this generation: `targets` or `sampled` */
    Pool pool;
    Thread *threads;
    Individual *population, *offspring, *sorted;
    Point *points;
    double *least; /* of each front */
    Scores scores;
    Hall hall, pruned;
    int64_t *fresh; /* individuals that are scored in this generation */
    int64_t fresh_count, generation, evaluations, reused;
    Phase phase;
    int error;
    dsgec_engine_row *rows;
    size_t rows_capacity;
    int64_t row_count;
    Buffer log, saved;
    Hash logged;
    Cases cases;
    Buffer handed; /* the phenotypes that wait for a score, and their ends */
    int64_t *ends;
    size_t ends_capacity, known; /* entries before this generation */
    int64_t reused_before;
    int is_scored; /* whether no phenotype waits */
    Describer describer;
    Work work;
    int32_t *probabilities; /* of PSGE, for the children of this generation */
    size_t probabilities_capacity;
};

/* Return how many parents precede the children and compete with them: the elite, or all of them. */
static int64_t first_child(const dsgec_engine *e) {
    if (e->generation == 0) {
        return 0;
    }
    return MINIMISES ? e->settings.population : e->settings.elites;
}

/* Return the index of a new individual among the offspring; `number` selects its random stream. */
static int64_t place_of_child(const dsgec_engine *e, int64_t number) {
    return MINIMISES ? first_child(e) + number : number;
}

static int64_t end_of_children(const dsgec_engine *e) {
    return place_of_child(e, e->settings.population);
}

static inline int is_better(const Individual *population, int64_t i, int64_t j) {
    double a = population[i].fitness, b = population[j].fitness;
    return a < b || (a == b && i < j);
}

static void remember_score(Entry *entry, const Individual *individual) {
    entry->outcome = individual->outcome;
    entry->fitness = individual->fitness;
    entry->size = individual->size;
    entry->cost = individual->cost;
}

static void recall_score(Individual *individual, const Entry *entry) {
    individual->outcome = entry->outcome;
    individual->fitness = entry->fitness;
    individual->size = entry->size;
    individual->cost = entry->cost;
}

static int copy_rates(Rates *to, const Rates *from) {
    if (!RESERVE(to->items, to->capacity, from->count)) {
        return 0;
    }
    if (from->count > 0) {
        memcpy(to->items, from->items, (size_t)from->count * sizeof *to->items);
    }
    to->count = from->count;
    return 1;
}

static int copy_learned(Individual *to, const Individual *from) {
    if (!RESERVE(to->weights, to->weights_capacity, from->weight_count)) {
        return 0;
    }
    if (from->weight_count > 0) {
        memcpy(to->weights, from->weights, (size_t)from->weight_count * sizeof *to->weights);
    }
    to->weight_count = from->weight_count;
    return copy_rates(&to->rates, &from->rates);
}

static void free_thread(Thread *thread) {
    free(thread->choosing.pool);
    free(thread->choosing.cases);
    free(thread->choosing.errors);
    free_mapper(&thread->mapping);
    free_scorer(&thread->scorer);
#if TREES
    free_trees(&thread->trees);
    free_merger(&thread->merger);
    free(thread->rates.items);
#endif
#if LEARNING
    free_steps(&thread->steps);
#endif
#if MINIMISES
    free_describer(&thread->describer);
    free_work(&thread->work);
#endif
}

static void free_individual(Individual *individual) {
    free_genotype(&individual->genotype);
    free(individual->phenotype.data);
    free(individual->weights);
    free(individual->rates.items);
#if TREES
    free(individual->tree.items);
#endif
}

/* Find the weights among the choices of the mapping. */
static int find_weights(Individual *child, const Mapper *map) {
    size_t i;
    child->weight_count = 0;
    child->learns = !BY_CODON || map->wraps_left == map->wraps;
    for (i = 0; LEARNING && i < map->choice_count; i++) {
        const Choice *choice = &map->choices[i];
        Weight *weight;
        if (choice->slot >= grammar.rules || !makes_weights(choice->slot)) {
            continue;
        }
        if (!RESERVE(child->weights, child->weights_capacity, child->weight_count + 1)) {
            return 0;
        }
        weight = &child->weights[child->weight_count++];
        weight->rule = choice->slot;
        weight->index = choice->index;
        weight->rank = BY_CODON ? map->slots.items[0].values[choice->index] %
                                      numeral_lists[choice->slot].count
                                : map->slots.items[choice->slot].values[choice->index];
        weight->offset = (int32_t)choice->offset;
        weight->length =
            productions[rules[weight->rule].first_production + weight->rank].head_length;
    }
    return 1;
}

#if TREES
/* Store a tree whose nodes are counted as lists; no rule has parts here. */
static int store_tree(Genotype *genotype, const Tree *tree) {
    int32_t places[MOST_RULES], rule, i, total = 0;
    if (!RESERVE(genotype->genes, genotype->genes_capacity, grammar.rules) ||
        !RESERVE(genotype->values, genotype->values_capacity, tree->count)) {
        return 0;
    }
    genotype->count = 0;
    for (rule = 0; rule < grammar.rules; rule++) {
        if (tree->counts[rule] > 0) {
            Gene *gene = &genotype->genes[genotype->count++];
            gene->rule = rule;
            gene->part = 0;
            gene->start = total;
            gene->length = tree->counts[rule];
            places[rule] = total;
            total += gene->length;
        }
    }
    for (i = 0; i < tree->count; i++) {
        genotype->values[places[tree->items[i].rule]++] = tree->items[i].choice;
    }
    return 1;
}
#endif

/* Store the genotype of an individual that keeps its tree; return 0 without memory. */
static int have_genotype(Individual *individual) {
#if TREES
    if (individual->tree.count > 0 && individual->genotype.count == 0) {
        return store_tree(&individual->genotype, &individual->tree);
    }
#endif
    (void)individual;
    return 1;
}

/* Store what was mapped in an individual. */
static void store_individual(Mapper *map, Individual *child) {
    if (child->error != OK) {
        return;
    }
#if TREES
    child->tree.count = 0;
#endif
    child->fault = map->fault;
    child->rates.count = map->fault ? 0 : child->rates.count;
    if (!LEARNING) { /* otherwise scores are not remembered */
        child->hash = hash_text(child->phenotype.data, child->phenotype.length);
    }
    if (!store_genotype(&child->genotype, &map->slots) || !find_weights(child, map)) {
        child->error = NO_MEMORY;
    }
}

/* Map the genotype in the slots to an individual, drawing what is missing. */
static void map_slots(const dsgec_engine *e, Mapper *map, Individual *child, Stream *random) {
    TIMED(mapping, child->error = express(map, random, e->settings.max_size, &child->phenotype));
    store_individual(map, child);
}

/* Add an individual to the hall of fame, if it belongs there; return 0 without memory. */
static int admit(Hall *hall, const Individual *individual) {
    Champion *champion = individual->outcome != SCORED
                             ? NULL
                             : find_champion(hall, individual->fitness, individual->size,
                                         individual->cost);
    if (champion == NULL) {
        return 1;
    }
    return (!LEARNING || copy_genotype(&champion->genotype, &individual->genotype)) &&
           set_champion(champion, individual->fitness, individual->size, individual->cost,
                        individual->phenotype.data, individual->phenotype.length);
}
#endif
