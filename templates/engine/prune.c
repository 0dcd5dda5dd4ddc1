/* Prune the best network step by step: dsgec/search/refine.py. */
#ifndef DSGEC_PRUNE_C
#define DSGEC_PRUNE_C
#include "breed_trees.c"
#include "generation.c"

#if TREES && LEARNING
enum { TRIED = 12, STEPS_BETWEEN = 4 };
/* The generation whose random streams pruning uses; no run reaches it. */
static const uint64_t PRUNING = UINT64_MAX - 1;

/* Store the nodes of the tree that have a child of their own symbol in `places`. */
static int32_t find_hoists(Trees *t) {
    int32_t i, count = 0;
    if (!RESERVE(t->places, t->places_capacity, t->mother.count)) {
        t->out_of_memory = 1;
        return 0;
    }
    for (i = 0; i < t->mother.count; i++) {
        const TreeNode *node = &t->mother.items[i];
        if (count_own(node->rule, branch_of(node->rule, node->choice)) > 0) {
            t->places[count++] = i;
        }
    }
    return count;
}

/* Hoist a subtree of the tree, and score the result without steps. */
static int try_hoist(const dsgec_engine *e, Thread *own, Individual *smaller, int32_t at,
                     Stream *random) {
    Trees *t = &own->trees;
    t->edited.count = 0;
    set_ends(&t->mother, at);
    keep_nodes(t, &t->mother, 0, at);
    apply_hoist(t, at, random);
    keep_nodes(t, &t->mother, t->mother.items[at].end, t->mother.count);
    smaller->rates.count = 0;
    smaller->error = map_edited_tree(e, own, smaller, random);
    if (smaller->error != OK) {
        return smaller->error;
    }
    smaller->outcome = REFUSED;
    if (!smaller->fault) {
        learn_individual(e, own, smaller, 0);
    }
    return smaller->outcome == SCORE_NO_MEMORY ? NO_MEMORY : OK;
}

/* Return the loss of fitness for each connection, byte or cycle that is saved. */
static double loss_of(const Individual *before, const Individual *after) {
    int64_t saved = before->cost - after->cost;
    return (after->fitness - before->fitness) / (double)(saved > 1 ? saved : 1);
}

/* Try several hoists, take the one that costs least, let it learn and replace `current` by it;
 * return 0 if there is none. */
static int prune_once(dsgec_engine *e, Individual *current, Individual *spare, Individual *best,
                      Stream *random, int *error) {
    Thread *own = &e->threads[0];
    Trees *t = &own->trees;
    int32_t count, k;
    int found = 0;
    Individual swapped;
    t->out_of_memory = 0;
    if (!load_individual(&own->mapping, current)) {
        *error = NO_MEMORY;
        return 0;
    }
    t->weights = plant(t, &own->mapping.slots, &t->mother, 0, 0);
    count = t->out_of_memory ? 0 : find_hoists(t);
    for (k = 0; k < TRIED && count > 0 && *error == OK; k++) {
        *error = try_hoist(e, own, spare, t->places[below(random, count)], random);
        if (*error == OK && spare->outcome == SCORED && spare->cost < current->cost &&
            (!found || loss_of(current, spare) < loss_of(current, best))) {
            swapped = *best;
            *best = *spare;
            *spare = swapped;
            found = 1;
        }
    }
    if (t->out_of_memory) {
        *error = NO_MEMORY;
    }
    if (found && *error == OK) {
        learn_individual(e, own, best, STEPS_BETWEEN);
        if (best->outcome == SCORE_NO_MEMORY || !admit(&e->pruned, best)) {
            *error = NO_MEMORY;
        }
        swapped = *current;
        *current = *best;
        *best = swapped;
    }
    return found && *error == OK;
}

/* Prune the best individual until nothing can be removed or the rounds are over. */
static int prune_best(dsgec_engine *e, int64_t rounds) {
    const Individual *winner = &e->population[find_best(e)];
    Individual current, spare, best;
    int64_t round;
    int error = OK;
    memset(&current, 0, sizeof current);
    memset(&spare, 0, sizeof spare);
    memset(&best, 0, sizeof best);
    if (winner->invalid) {
        return OK;
    }
    if (!copy_individual(&current, winner)) {
        error = NO_MEMORY;
    }
    if (error == OK && e->settings.batch > 0) { /* its fitness was measured on a mini-batch */
        e->current = &e->targets;
        learn_individual(e, &e->threads[0], &current, 0);
        if (current.outcome == SCORE_NO_MEMORY || !admit(&e->pruned, &current)) {
            error = NO_MEMORY;
        }
    }
    for (round = 0; error == OK && !current.invalid && round < rounds; round++) {
        Stream random = stream(e->settings.seed, PRUNING, (uint64_t)round);
        if (!prune_once(e, &current, &spare, &best, &random, &error)) {
            break;
        }
    }
    free_individual(&current);
    free_individual(&spare);
    free_individual(&best);
    return error;
}

int64_t dsgec_engine_prune(dsgec_engine *e, int64_t rounds, dsgec_engine_champion *champions) {
    const dsgec_environment found = dsgec_enter();
    int error = e->error != OK ? e->error : BAD_CALL;
    if (e->error == OK && dsgec_engine_generation(e) > 0) {
        error = prune_best(e, rounds);
    }
    dsgec_leave(found);
    return error == OK ? list_champions(&e->pruned, champions) : -1 - (int64_t)error;
}
#else

int64_t dsgec_engine_prune(dsgec_engine *e, int64_t rounds, dsgec_engine_champion *champions) {
    (void)e, (void)rounds, (void)champions;
    return 0;
}
#endif
#endif
