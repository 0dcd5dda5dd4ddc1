/* Evolve a population by one generation: dsgec/search/loop.py. A generation goes through phases,
 * and can stop between any two tasks and resume later. Children are bred in any order and scored in
 * any order; in between, one thread looks up their scores, so that what counts as a repetition does
 * not depend on the threads. */
#ifndef DSGEC_GENERATION_C
#define DSGEC_GENERATION_C
#include "breed_lists.c"
#include "breed_trees.c"
#include "learn_best.c"
#include "steps.c"

static void grow_individual(void *owner, int64_t task, int thread) {
    dsgec_engine *e = owner;
    Mapper *map = &e->threads[thread].mapping;
    Stream random = stream(e->settings.seed, 0, (uint64_t)task);
    Individual *child = &e->offspring[task];
    child->rates.count = 0;
    child->error = plan_tree(&map->plan, e->settings.initialisation, task, &random);
    child->error = child->error == OK ? grow(map, &random) : child->error;
    if (child->error == OK) {
        map_slots(e, map, child, &random);
    }
#if TREES
    merge_mapped(e, &e->threads[thread], child, &random);
#endif
}

typedef struct {
    double fitness;
    int64_t number;
} Rank;

static int ranks_before(const Rank *a, const Rank *b) {
    return a->fitness < b->fitness || (a->fitness == b->fitness && a->number < b->number);
}

/* Restore a heap of `count` whose least element is at 0, except that the element at `at` may be too
 * large. */
static void sift_down(Rank *heap, int64_t at, int64_t count) {
    for (;;) {
        int64_t child = 2 * at + 1;
        Rank moved = heap[at];
        if (child + 1 < count && ranks_before(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (child >= count || !ranks_before(&heap[child], &moved)) {
            return;
        }
        heap[at] = heap[child];
        heap[child] = moved;
        at = child;
    }
}

static int copy_individual(Individual *to, const Individual *from) {
    if (!copy_genotype(&to->genotype, &from->genotype) || !copy_learned(to, from) ||
        !RESERVE(to->phenotype.data, to->phenotype.capacity, from->phenotype.length + 1)) {
        return 0;
    }
#if TREES
    if (!copy_tree(&to->tree, &from->tree)) {
        return 0;
    }
#endif
    if (from->phenotype.length > 0) {
        memcpy(to->phenotype.data, from->phenotype.data, from->phenotype.length);
    }
    to->phenotype.length = from->phenotype.length;
    to->hash = from->hash;
    to->fitness = from->fitness;
    to->cost = from->cost;
    to->entry = from->entry;
    to->fault = from->fault;
    to->invalid = from->invalid;
    to->size = from->size;
    to->outcome = from->outcome;
    return 1;
}

static int64_t find_best(const dsgec_engine *e) {
    int64_t best = 0, i;
    for (i = 1; i < e->settings.population; i++) {
        best = is_better(e->population, i, best) ? i : best;
    }
    return best;
}

/* Copy all parents, in order, to the beginning of the next population. */
static int keep_parents(dsgec_engine *e) {
    int64_t i;
    for (i = 0; i < e->settings.population; i++) {
        if (!copy_individual(&e->offspring[i], &e->population[i])) {
            return NO_MEMORY;
        }
    }
    return OK;
}

/* Copy the best parents, in order, to the beginning of the next population. */
static int keep_elite(dsgec_engine *e) {
    int64_t i, count = e->settings.population;
    Rank *ranked;
    int kept = 1;
    if (MINIMISES) {
        return keep_parents(e);
    }
    if (e->settings.elites == 0) {
        return OK;
    }
    if (e->settings.elites == 1) {
        return copy_individual(&e->offspring[0], &e->population[find_best(e)]) ? OK : NO_MEMORY;
    }
    ranked = malloc((size_t)count * sizeof *ranked);
    if (ranked == NULL) {
        return NO_MEMORY;
    }
    for (i = 0; i < count; i++) {
        ranked[i].fitness = e->population[i].fitness;
        ranked[i].number = i;
    }
    for (i = count / 2 - 1; i >= 0; i--) {
        sift_down(ranked, i, count);
    }
    for (i = 0; i < e->settings.elites && kept; i++) {
        kept = copy_individual(&e->offspring[i], &e->population[ranked[0].number]);
        ranked[0] = ranked[--count];
        sift_down(ranked, 0, count);
    }
    free(ranked);
    return kept ? OK : NO_MEMORY;
}

/* Only these generations fill the hall of fame: fitness on other rows is not comparable. */
static int has_all_rows(const dsgec_engine *e) {
    return e->settings.batch == 0 || e->generation % WHOLE_EVERY == 0;
}

/* Choose the rows of this generation: dsgec/search/rows.py. */
static void choose_rows(dsgec_engine *e) {
    int64_t batch = e->settings.batch, before;
    e->current = &e->targets;
    if (!has_all_rows(e)) {
        before = e->generation - e->generation / WHOLE_EVERY - 1;
        e->window.start = before % (e->targets.groups[0].count / batch) * batch;
        e->window.count = batch;
        e->sampled = e->targets;
        e->sampled.groups = &e->window;
        e->sampled.mean = measure_mean(e->targets.single + e->window.start, &e->sampled);
        e->sampled.spread = measure_spread(&e->sampled);
        e->current = &e->sampled;
    }
}

static void copy_values(double *to, const double *from, size_t count) {
    if (count > 0) {
        memcpy(to, from, count * sizeof *to);
    }
}

/* Keep only the scores of the population once there are too many others. */
static int forget(dsgec_engine *e) {
    size_t width = e->scores.width;
    Entry *kept;
    double *values;
    int64_t i;
    size_t most = (size_t)e->settings.memory;
    most = width > FEW_VALUES ? most * FEW_VALUES / width : most;
    if (e->generation == 0 || e->scores.count < most) {
        return OK;
    }
    kept = malloc((size_t)e->settings.population * sizeof *kept);
    values = malloc((size_t)e->settings.population * width * sizeof *values + 1);
    if (kept == NULL || values == NULL) {
        free(kept);
        free(values);
        return NO_MEMORY;
    }
    for (i = 0; i < e->settings.population; i++) {
        if (!e->population[i].fault) {
            kept[i] = e->scores.entries[e->population[i].entry];
            copy_values(values + (size_t)i * width, values_of(&e->scores, e->population[i].entry),
                        width);
        }
    }
    clear_scores(&e->scores);
    for (i = 0; i < e->settings.population; i++) {
        Individual *individual = &e->population[i];
        if (individual->fault) {
            continue;
        }
        individual->entry = find_entry(&e->scores, &individual->hash);
        if (individual->entry < 0) {
            individual->entry = add_entry(&e->scores, &individual->hash);
            if (individual->entry < 0 || !have_values(&e->scores)) {
                free(kept);
                free(values);
                return NO_MEMORY;
            }
            e->scores.entries[individual->entry] = kept[i];
            copy_values(values_of(&e->scores, individual->entry), values + (size_t)i * width,
                        width);
        }
    }
    free(kept);
    free(values);
    return OK;
}

static int look_up(dsgec_engine *e) {
    int64_t i;
    e->fresh_count = 0;
    e->known = e->scores.count;
    e->reused_before = e->reused;
    for (i = e->settings.batch > 0 ? 0 : first_child(e); i < end_of_children(e); i++) {
        Individual *child = &e->offspring[i];
        if (child->error != OK) {
            return child->error;
        }
        if (child->fault) {
            continue;
        }
        if (LEARNING) { /* the score depends on more than the phenotype */
            e->fresh[e->fresh_count++] = i;
            continue;
        }
        child->entry = find_entry(&e->scores, &child->hash);
        if (child->entry >= 0) {
            e->reused++;
            continue;
        }
        child->entry = add_entry(&e->scores, &child->hash);
        if (child->entry < 0) {
            return NO_MEMORY;
        }
        e->fresh[e->fresh_count++] = i;
    }
    return OK;
}

/* Log the generation; the best phenotype is added only if it changed. */
static int add_row(dsgec_engine *e) {
    const Individual *best = &e->population[find_best(e)];
    dsgec_engine_row row, *before = e->row_count > 0 ? &e->rows[e->row_count - 1] : NULL;
    Hash hash = LEARNING ? hash_text(best->phenotype.data, best->phenotype.length) : best->hash;
    double total = 0.0;
    int64_t i, valid = 0;
    for (i = 0; i < e->settings.population; i++) {
        if (!e->population[i].invalid) {
            total += e->population[i].fitness;
            valid++;
        }
    }
    row.generation = e->generation;
    row.best = best->fitness;
    row.mean = valid ? total / (double)valid : INFINITE;
    row.invalid = e->settings.population - valid;
    row.evaluations = e->evaluations;
    row.reused = e->reused;
    row.size = best->invalid ? 0 : best->size;
    row.phenotype_length = (int64_t)best->phenotype.length;
    if (before && memcmp(&e->logged, &hash, sizeof e->logged) == 0) {
        row.phenotype_start = before->phenotype_start;
    } else {
        row.phenotype_start = (int64_t)e->log.length;
        if (!RESERVE(e->log.data, e->log.capacity, e->log.length + best->phenotype.length + 1)) {
            return NO_MEMORY;
        }
        if (best->phenotype.length > 0) {
            memcpy(e->log.data + e->log.length, best->phenotype.data, best->phenotype.length);
        }
        e->log.length += best->phenotype.length;
        e->logged = hash;
    }
    if (!RESERVE(e->rows, e->rows_capacity, e->row_count + 1)) {
        return NO_MEMORY;
    }
    e->rows[e->row_count++] = row;
    return OK;
}

/* Sort parents and children by front.c; the first of them are the next population. */
static void sort_offspring(dsgec_engine *e) {
    int64_t count = end_of_children(e), i;
    for (i = 0; i < count; i++) {
        e->points[i].fitness = e->offspring[i].fitness;
        e->points[i].cost = e->offspring[i].cost;
        e->points[i].number = i;
        if (EXTERNAL && !e->offspring[i].fault) {
            e->points[i].values = values_of(&e->scores, e->offspring[i].entry);
            e->points[i].width = e->scores.width;
        }
    }
    if (EXTERNAL) {
        order_by_objectives(e->points, e->points + count, count);
    } else {
        order_points(e->points, e->points + count, count, e->least);
    }
    memcpy(e->sorted, e->offspring, (size_t)count * sizeof *e->sorted);
    for (i = 0; i < count; i++) {
        e->offspring[i] = e->sorted[e->points[i].number];
    }
}

static int finish_generation(dsgec_engine *e) {
    Individual *children = e->offspring;
    int64_t i;
    for (i = 0; i < e->fresh_count; i++) {
        const Individual *child = &children[e->fresh[i]];
        if (child->outcome == SCORE_NO_MEMORY ||
            (!EXTERNAL && has_all_rows(e) && !admit(&e->hall, child))) {
            return NO_MEMORY;
        }
        e->evaluations += child->evaluations;
        if (!LEARNING) {
            remember_score(&e->scores.entries[child->entry], child);
        }
    }
    for (i = first_child(e); i < end_of_children(e); i++) {
        Individual *child = &children[i];
        if (child->fault) {
            child->outcome = REFUSED;
            child->fitness = INFINITE;
            child->size = 0;
            child->cost = 0;
        } else if (!LEARNING) {
            recall_score(child, &e->scores.entries[child->entry]);
        }
        child->invalid = child->outcome != SCORED;
    }
    if (MINIMISES) {
        sort_offspring(e);
    }
    e->offspring = e->population;
    e->population = children;
    return add_row(e);
}

/* Run the tasks of a phase in all threads; return 1 when all are done. */
static int run_phase(dsgec_engine *e, Task task, int64_t count, Phase following) {
    run_tasks(&e->pool, task, e, count);
    if (e->pool.next < count) {
        return 0;
    }
    e->pool.next = 0;
    e->phase = following;
    return 1;
}

/* Return the error of the first individual that has one. */
static int find_error(const dsgec_engine *e) {
    int64_t i;
    int error = OK;
    for (i = 0; error == OK && i < e->settings.population; i++) {
        error = e->population[i].error;
    }
    return error;
}

/* Run until the generation is complete (1), the time is up (0) or it failed (`error`, 1). */
static int run_generation(dsgec_engine *e) {
    for (;;) {
        switch (e->phase) {
        case BREED: {
            int64_t elites = e->generation > 0 ? e->settings.elites : 0;
            int64_t children = e->settings.population - elites;
            int grown = e->generation == 0;
            int done;
            if (!EXTERNAL && e->pool.next == 0 && selects_by_cases(e) && !e->cases.are_measured) {
                e->error = begin_selection(e);
                e->phase = MEASURE;
                break;
            }
            if (e->pool.next == 0 && (prepare_selection(e) != OK || learn_from_best(e) != OK)) {
                e->error = NO_MEMORY;
                return 1;
            }
            TIMED(breeding, done = run_phase(e, grown ? grow_individual : breed_pair,
                                             grown ? children : (children + 1) / 2, LOOK_UP));
            if (!done) {
                return 0;
            }
            break;
        }
        case MEASURE:
            if (!run_phase(e, measure_cases, e->settings.population, BREED)) {
                return 0;
            }
            e->error = find_error(e);
            e->cases.are_measured = 1;
            break;
        case LOOK_UP:
            e->error = forget(e);
            e->error = e->error == OK && e->generation > 0 ? keep_elite(e) : e->error;
            e->error = e->error == OK ? look_up(e) : e->error;
            choose_rows(e);
            e->is_scored = e->fresh_count == 0;
            e->phase = SCORE;
            break;
        case SCORE:
            if (EXTERNAL) { /* it is the caller who scores them */
                if (!e->is_scored) {
                    return 0;
                }
                e->phase = FINISH;
                break;
            }
            if (!run_phase(e, score_individual, e->fresh_count, FINISH)) {
                return 0;
            }
            break;
        default:
            e->error = finish_generation(e);
            e->generation++;
            e->cases.are_measured = 0;
            e->phase = BREED;
            return 1;
        }
        if (e->error != OK) {
            return 1;
        }
    }
}
#endif
