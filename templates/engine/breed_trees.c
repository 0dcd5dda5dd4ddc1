/* Children by local variation of derivation trees: dsgec/search/breeding.py. */
#include "edit.c"
#include "map_trees.c"
#include "operators.c"
#include "variant.h"
#if TREES && !defined(DSGEC_BREED_TREES_C)
#define DSGEC_BREED_TREES_C

static int has_rates(const Individual *individual) {
    return individual->rates.count > 0;
}

/* Return the rate of a weight of the mother or, after hers, of the father; for -1, that of a new
 * weight. */
static Rate inherit_rate(const Rates *mother, const Rates *father, int32_t number) {
    Rate first = {FIRST_STEP, 0.0};
    if (number < 0) {
        return first;
    }
    return number < mother->count ? mother->items[number] : father->items[number - mother->count];
}

/* Collect the rates of the weights of the edited tree. */
static int inherit_rates(const Trees *t, const Rates *mother, const Rates *father, Rates *rates) {
    int32_t i;
    rates->count = 0;
    for (i = 0; i < t->edited.count; i++) {
        const TreeNode *node = &t->edited.items[i];
        if (!makes_weights(node->rule)) {
            continue;
        }
        if (!RESERVE(rates->items, rates->capacity, rates->count + 1)) {
            return 0;
        }
        rates->items[rates->count++] =
            inherit_rate(mother, father, node->origin < 0 ? -1 : t->ordinals[node->origin]);
    }
    return 1;
}

static int load_individual(Mapper *map, const Individual *individual) {
    return load_child(&map->slots, &individual->genotype, &individual->genotype,
                      NOTHING_EXCHANGED);
}

/* Build the tree of an individual, or copy it, and return the number of its weights: see `plant`. */
static int32_t plant_individual(Thread *own, const Individual *individual, Tree *tree,
                                int32_t first, int32_t first_number) {
    Trees *t = &own->trees;
    int32_t weights, i;
    if (individual->tree.count > 0) {
        t->out_of_memory |= !copy_tree(tree, &individual->tree);
        return count_weights(tree);
    }
    if (!load_individual(&own->mapping, individual)) {
        t->out_of_memory = 1;
        return 0;
    }
    weights = plant(t, &own->mapping.slots, tree, first, first_number);
    tree->size = 0;
    for (i = 0; KEEPS_TREES && i < tree->count; i++) {
        const TreeNode *node = &tree->items[i];
        tree->size += productions[rules[node->rule].first_production + node->choice].cost;
    }
    return weights;
}

/* Cross the trees of two parents. If nothing has to be drawn for the child, its tree is the edited
 * one, and `is_whole` is set; otherwise it is mapped. The rates go to those of the thread. */
static int cross_trees(const dsgec_engine *e, Thread *own, Individual *child,
                       const Individual *mother, const Individual *father, Stream *random,
                       int *is_whole) {
    Trees *t = &own->trees;
    int64_t most = e->settings.max_size;
    int32_t weights = plant_individual(own, mother, &t->mother, 0, 0);
    int error;
    plant_individual(own, father, &t->father, t->mother.count, weights);
    if (t->out_of_memory) {
        return NO_MEMORY;
    }
    exchange_parts(t, random);
    own->rates.count = 0;
    *is_whole = KEEPS_TREES && e->settings.mutate == NULL && t->mother.size < most &&
                t->father.size <= most - t->mother.size;
    if (*is_whole) {
        own->mapping.fault = NO_FAULT;
        return t->out_of_memory ? NO_MEMORY : OK;
    }
    if (has_rates(mother) && has_rates(father) &&
        !inherit_rates(t, &mother->rates, &father->rates, &own->rates)) {
        return NO_MEMORY;
    }
    rename_neurons(t);
    error = t->out_of_memory ? NO_MEMORY : gather(t, &own->mapping.slots);
    if (error == OK) {
        TIMED(mapping, error = express(&own->mapping, random, e->settings.max_size,
                                       &child->phenotype));
    }
    return error;
}

/* Mutate the mother's tree at one place and map it to an individual. */
static int mutate_mother(const dsgec_engine *e, Thread *own, Individual *child, Stream *random) {
    Trees *t = &own->trees;
    if (t->out_of_memory) {
        return NO_MEMORY;
    }
    mutate_tree(t, random);
    if (own->rates.count > 0 &&
        !inherit_rates(t, &own->rates, &own->rates, &child->rates)) {
        return NO_MEMORY;
    }
    return map_edited_tree(e, own, child, random);
}

/* Breed one child of a parent, with a subtree of another one if they are crossed. */
static void vary_tree(const dsgec_engine *e, Thread *own, Individual *child,
                      const Individual *mother, const Individual *father, int crosses,
                      const dsgec_engine_genotype *crossed, Stream *random) {
    Mapper *map = &own->mapping;
    Trees *t = &own->trees;
    int is_mapped = 0, is_whole = 0;
    t->out_of_memory = 0;
    child->rates.count = 0;
    child->error = copy_rates(&own->rates, &mother->rates) ? OK : NO_MEMORY;
    map->fault = mother->fault;
    if (child->error != OK) {
        return;
    }
    if (EXTERNAL && crossed != NULL) {
        child->error = load_genotype(map, crossed);
        child->error = child->error == OK
                           ? express(map, random, e->settings.max_size, &child->phenotype)
                           : child->error;
        is_mapped = 1;
    } else if (crosses && !mother->fault && !father->fault) {
        child->error = cross_trees(e, own, child, mother, father, random, &is_whole);
        is_mapped = 1;
    } else if (mother->tree.count > 0 && e->settings.mutate == NULL) {
        child->error = copy_tree(&t->edited, &mother->tree) ? OK : NO_MEMORY;
        is_whole = 1;
    } else {
        child->error = load_individual(map, mother) ? OK : NO_MEMORY;
    }
    if (child->error == OK && chance(random, e->settings.mutation) && !map->fault) {
        if (EXTERNAL && e->settings.mutate != NULL) {
            if (!is_mapped) {
                child->error = express(map, random, e->settings.max_size, &child->phenotype);
            }
            if (child->error == OK) {
                child->error = mutate_by_caller(e, own, child, random);
            }
            store_individual(map, child);
            return;
        }
        if (is_whole) {
            swap_trees(&t->edited, &t->mother);
            t->weights = count_weights(&t->mother);
        } else {
            t->weights = plant(t, &map->slots, &t->mother, 0, 0);
        }
        child->error = mutate_mother(e, own, child, random);
        return;
    }
    if (child->error == OK && is_whole) {
        child->error = map_edited_tree(e, own, child, random);
        return;
    }
    if (child->error == OK && !is_mapped) {
        child->error = express(map, random, e->settings.max_size, &child->phenotype);
    }
    if (child->error == OK && !copy_rates(&child->rates, &own->rates)) {
        child->error = NO_MEMORY;
    }
    store_individual(map, child);
    merge_mapped(e, own, child, random);
}

static void breed_pair(void *owner, int64_t task, int thread) {
    dsgec_engine *e = owner;
    Thread *own = &e->threads[thread];
    int64_t first = e->settings.elites + 2 * task;
    Individual *children = &e->offspring[place_of_child(e, first)];
    Stream random = stream(e->settings.seed, (uint64_t)e->generation, (uint64_t)first);
    const Individual *mother = select_parent(e, own, &random);
    const Individual *father = select_parent(e, own, &random);
    const dsgec_engine_genotype *crossed = NULL;
    dsgec_engine_genotype made[2];
    int crosses;
    if (mother == NULL || father == NULL) {
        children[0].error = OPERATOR_FAILED;
        return;
    }
    crosses = chance(&random, e->settings.crossover);
    if (EXTERNAL && crosses && e->settings.cross != NULL && !mother->fault && !father->fault) {
        children[0].error = cross_by_caller(e, mother, father, &random, made);
        crossed = made;
        if (children[0].error != OK) {
            return;
        }
    }
    vary_tree(e, own, &children[0], mother, father, crosses, crossed, &random);
    if (first + 1 < e->settings.population) {
        random = stream(e->settings.seed, (uint64_t)e->generation, (uint64_t)first + 1);
        vary_tree(e, own, &children[1], father, mother, crosses, crossed ? crossed + 1 : NULL,
                  &random);
    }
}
#endif
