/* The functions of engine.h, which Python calls. */
#include "clock.h"
#include "generation.c"
#include "learning.c"
#include "prune.c"
#include "restore.c"

/* Return the number of individuals that compete: one population, or two if parents and children
 * compete. */
static int64_t count_room(const dsgec_engine_settings *settings) {
    return (MINIMISES ? 2 : 1) * settings->population;
}

void dsgec_engine_free(dsgec_engine *e) {
    int64_t i;
    if (e == NULL) {
        return;
    }
    close_pool(&e->pool);
    for (i = 0; e->threads != NULL && i < e->pool.threads; i++) {
        free_thread(&e->threads[i]);
    }
    for (i = 0; i < count_room(&e->settings); i++) {
        if (e->population != NULL) {
            free_individual(&e->population[i]);
        }
        if (e->offspring != NULL) {
            free_individual(&e->offspring[i]);
        }
    }
    free(e->threads);
    free(e->population);
    free(e->offspring);
    free(e->sorted);
    free(e->points);
    free(e->least);
    free(e->table.bits);
    free(e->table.binary);
    free_scores(&e->scores);
    free_hall(&e->hall);
    free_hall(&e->pruned);
    free(e->fresh);
    free(e->rows);
    free(e->log.data);
    free(e->saved.data);
    free(e->handed.data);
    free(e->ends);
    free(e->cases.valid);
    free(e->cases.cases);
    free(e->cases.epsilons);
    free(e->cases.sorted);
    free(e->cases.rows);
    free(e->cases.values);
    free(e->probabilities);
    free_describer(&e->describer);
    free_work(&e->work);
    free(e);
}

static int are_possible(const dsgec_engine_settings *s) {
    int64_t i, row = 0;
    for (i = 0; i < s->groups; i++) {
        const dsgec_engine_group *group = &s->row_groups[i];
        if (group->start != row || group->count < 1 || group->count > s->rows - row) {
            return 0;
        }
        row += (group->count + LANES - 1) / LANES * LANES;
    }
    return row == s->rows && s->population >= 1 && s->population <= INT32_MAX && s->elites >= 0 &&
           s->elites <= s->population && s->tournament >= 1 && s->selection >= 0 &&
           s->selection < (MINIMISES && !EXTERNAL ? FIRST_BY_CASES : SELECTION_COUNT) &&
           s->features >= 1 &&
           s->features <= INT32_MAX && s->codons >= 1 && s->codons <= INT32_MAX / 2 &&
           s->wraps >= 0 && s->wraps <= INT32_MAX && s->memory >= 1 && s->rows >= 1 &&
           (!MINIMISES || s->elites == 0) &&
           (s->prices == NULL || (MINIMISES && s->prologue != NULL)) && s->classes >= 0 &&
           (s->row_weights != NULL) == WEIGHTED && s->threads >= 1 &&
           s->threads <= 1024 && s->batch >= 0 &&
           (s->batch == 0 || (LEARNING && s->groups == 1 && s->batch % LANES == 0 &&
                              s->batch < s->row_groups[0].count));
}

dsgec_engine *dsgec_engine_new(const dsgec_engine_settings *settings, int *error) {
    dsgec_engine *e;
    dsgec_environment found;
    size_t room;
    int64_t i;
    *error = BAD_CALL;
    if (!are_possible(settings)) {
        return NULL;
    }
    *error = NO_MEMORY;
    e = calloc(1, sizeof *e);
    if (e == NULL) {
        return NULL;
    }
    e->settings = *settings;
    e->table.columns = settings->columns;
    e->table.rows = (size_t)settings->rows;
    e->table.features = (size_t)settings->features;
    e->targets.single = settings->single;
    e->targets.each = settings->each;
    e->targets.row_weights = settings->row_weights;
    e->targets.groups = settings->row_groups;
    e->targets.group_count = settings->groups;
    e->targets.classes = settings->classes;
    found = dsgec_enter();
    e->targets.mean = measure_mean(settings->single, &e->targets);
    e->targets.spread = measure_spread(&e->targets);
    dsgec_leave(found);
    e->current = &e->targets;
    if (!EXTERNAL && !make_bits(&e->table, settings->row_groups, settings->groups)) {
        dsgec_engine_free(e);
        return NULL;
    }
    room = (size_t)count_room(settings);
    e->population = calloc(room, sizeof *e->population);
    e->offspring = calloc(room, sizeof *e->offspring);
    e->fresh = calloc(room, sizeof *e->fresh);
    e->threads = calloc((size_t)settings->threads, sizeof *e->threads);
    if (MINIMISES) {
        e->sorted = malloc(room * sizeof *e->sorted);
        e->points = malloc(2 * room * sizeof *e->points);
        e->least = malloc(room * sizeof *e->least);
    }
    if (e->population == NULL || e->offspring == NULL || e->fresh == NULL || e->threads == NULL ||
        (MINIMISES && (e->sorted == NULL || e->points == NULL || e->least == NULL))) {
        dsgec_engine_free(e);
        return NULL;
    }
    for (i = 0; i < settings->threads; i++) {
        Mapper *map = &e->threads[i].mapping;
        map->all = settings->connect_all != 0;
        map->codons = (int32_t)settings->codons;
        map->wraps = (int32_t)settings->wraps;
        map->settings = &e->settings;
    }
    *error = open_pool(&e->pool, (int)settings->threads);
    if (*error != OK) {
        dsgec_engine_free(e);
        return NULL;
    }
    return e;
}

int dsgec_engine_abandon(dsgec_engine *e) {
    if (!EXTERNAL || e->error != OK) {
        return BAD_CALL;
    }
    if (e->phase == SCORE || e->phase == LOOK_UP) {
        cut_scores(&e->scores, e->known);
        e->reused = e->reused_before;
    }
    e->phase = BREED;
    e->pool.next = 0;
    return OK;
}

int dsgec_engine_step(dsgec_engine *e, int64_t generations, double seconds,
                      dsgec_engine_rows *rows) {
    const dsgec_environment found = dsgec_enter();
    e->row_count = 0;
    e->log.length = 0;
    e->pool.deadline = now() + seconds;
    while (e->error == OK && e->row_count < generations && run_generation(e)) {
        if (now() >= e->pool.deadline) {
            break;
        }
    }
    dsgec_leave(found);
    if (e->error == OPERATOR_FAILED) { /* the generation can begin again */
        e->error = OK;
        dsgec_engine_abandon(e);
        return OPERATOR_FAILED;
    }
    rows->rows = e->rows;
    rows->phenotypes = e->log.data;
    rows->count = e->row_count;
    return e->error;
}

void dsgec_engine_times(dsgec_engine_seconds *seconds) {
#if defined(DSGEC_TIMED)
    *seconds = times;
#else
    memset(seconds, 0, sizeof *seconds);
#endif
}

int dsgec_engine_waiting(dsgec_engine *e, dsgec_engine_phenotypes *phenotypes) {
    int64_t i;
    size_t length = 0;
    int waits = EXTERNAL && e->error == OK && e->phase == SCORE && !e->is_scored;
    phenotypes->count = waits ? e->fresh_count : 0;
    for (i = 0; i < phenotypes->count; i++) {
        const Buffer *text = &e->offspring[e->fresh[i]].phenotype;
        if (!RESERVE(e->handed.data, e->handed.capacity, length + text->length + 1) ||
            !RESERVE(e->ends, e->ends_capacity, i + 1)) {
            return NO_MEMORY;
        }
        if (text->length > 0) {
            memcpy(e->handed.data + length, text->data, text->length);
        }
        length += text->length;
        e->ends[i] = (int64_t)length;
    }
    phenotypes->texts = e->handed.data;
    phenotypes->ends = e->ends;
    return OK;
}

int dsgec_engine_give(dsgec_engine *e, const double *fitness, const int32_t *sizes,
                      const double *values, int64_t width) {
    int64_t i;
    if (!EXTERNAL || e->error != OK || e->phase != SCORE || e->is_scored || width < 0 ||
        (e->scores.width != 0 && e->scores.width != (size_t)width)) {
        return BAD_CALL;
    }
    e->scores.width = (size_t)width;
    if (!have_values(&e->scores)) {
        return NO_MEMORY;
    }
    for (i = 0; i < e->fresh_count; i++) {
        Individual *child = &e->offspring[e->fresh[i]];
        int valid = fitness[i] - fitness[i] == 0.0;
        child->outcome = valid ? SCORED : NOT_FINITE;
        child->fitness = valid ? fitness[i] : INFINITE;
        child->size = valid ? sizes[i] : 0;
        child->cost = child->size;
        child->evaluations = 1;
        copy_values(values_of(&e->scores, child->entry), values + (size_t)(i * width),
                    e->scores.width);
    }
    e->is_scored = 1;
    return OK;
}

int64_t dsgec_engine_generation(const dsgec_engine *e) {
    return e->phase == BREED && e->pool.next == 0 ? e->generation : -1;
}

static int show_individual(Individual *individual, dsgec_engine_individual *view) {
    if (!have_genotype(individual)) {
        return NO_MEMORY;
    }
    view->cases = NULL;
    view->case_count = 0;
    view->genes = individual->genotype.genes;
    view->values = individual->genotype.values;
    view->gene_count = individual->genotype.count;
    view->phenotype = individual->phenotype.data;
    view->phenotype_length = (int64_t)individual->phenotype.length;
    view->fitness = individual->fitness;
    view->fault = individual->fault;
    view->invalid = individual->invalid;
    view->rates = individual->rates.items;
    view->rate_count = individual->rates.count;
    return OK;
}

int dsgec_engine_look(const dsgec_engine *e, int64_t number, dsgec_engine_individual *view) {
    int error;
    if (number < 0 || number >= e->settings.population) {
        return BAD_CALL;
    }
    error = show_individual(&e->population[number], view);
    if (EXTERNAL && !e->population[number].invalid) {
        view->cases = values_of(&e->scores, e->population[number].entry);
        view->case_count = (int64_t)e->scores.width;
    }
    return error;
}

int dsgec_engine_look_waiting(const dsgec_engine *e, int64_t number,
                              dsgec_engine_individual *view) {
    if (!EXTERNAL || e->phase != SCORE || number < 0 || number >= e->fresh_count) {
        return BAD_CALL;
    }
    return show_individual(&e->offspring[e->fresh[number]], view);
}

void dsgec_engine_fitness(const dsgec_engine *e, double *fitness) {
    int64_t i;
    for (i = 0; i < e->settings.population; i++) {
        fitness[i] = e->population[i].fitness;
    }
}

int64_t dsgec_engine_best(const dsgec_engine *e) {
    const dsgec_environment found = dsgec_enter();
    const int64_t best = find_best(e);
    dsgec_leave(found);
    return best;
}

int dsgec_engine_save(dsgec_engine *e, const char **data, size_t *length) {
    int error = e->error != OK ? e->error : BAD_CALL;
    if (e->error == OK && dsgec_engine_generation(e) >= 0) {
        error = save_state(e);
    }
    *data = e->saved.data;
    *length = error == OK ? e->saved.length : 0;
    return error;
}

int dsgec_engine_restore(dsgec_engine *e, const char *data, size_t length) {
    if (e->error == OK && dsgec_engine_generation(e) == 0) {
        const dsgec_environment found = dsgec_enter();
        e->error = restore_state(e, data, length);
        dsgec_leave(found);
        return e->error;
    }
    return BAD_CALL;
}

int dsgec_engine_send(dsgec_engine *e, int64_t number, const char **data, size_t *length) {
    int error = e->error != OK ? e->error : BAD_CALL;
    if (e->error == OK && dsgec_engine_generation(e) > 0 && number >= 0 &&
        number < e->settings.population && !e->population[number].invalid) {
        error = write_migrant(e, &e->population[number]);
    }
    *data = e->saved.data;
    *length = error == OK ? e->saved.length : 0;
    return error;
}

int dsgec_engine_receive(dsgec_engine *e, int64_t number, const char *data, size_t length) {
    if (e->error == OK && dsgec_engine_generation(e) > 0 && number >= 0 &&
        number < e->settings.population) {
        const dsgec_environment found = dsgec_enter();
        e->cases.are_measured = 0;
        e->error = read_migrant(e, &e->population[number], data, length);
        dsgec_leave(found);
        return e->error;
    }
    return BAD_CALL;
}

int dsgec_engine_score(dsgec_engine *e, const char *text, size_t length, double *fitness) {
    const dsgec_environment found = dsgec_enter();
    Scorer *s = &e->threads[0].scorer;
    int32_t size;
    const Outcome outcome = score(s, &e->table, &e->targets, text, length, fitness, &size);
    dsgec_leave(found);
    return (int)outcome;
}

int64_t dsgec_engine_champions(const dsgec_engine *e, dsgec_engine_champion *champions) {
    return list_champions(&e->hall, champions);
}

static int evaluate_phenotype(dsgec_engine *e, const char *text, size_t length, double *outputs,
                         int capacity) {
    Scorer *s = &e->threads[0].scorer;
    Outcome outcome = prepare(s, &e->table, &e->targets, text, length);
    size_t row, n;
    int32_t k;
    if (outcome != SCORED || s->tape.output_count > capacity) {
        return outcome == SCORED ? -1 : -(int)outcome;
    }
    for (row = 0; row < e->table.rows; row += n) {
        n = e->table.rows - row < s->blocks.block ? e->table.rows - row : s->blocks.block;
        run_block(&s->blocks, &e->table, &s->tape, row, n, s->outputs);
        for (k = 0; k < s->tape.output_count; k++) {
            memcpy(outputs + (size_t)k * e->table.rows + row, s->outputs[k], n * sizeof *outputs);
        }
    }
    return s->tape.output_count;
}

int dsgec_engine_evaluate(dsgec_engine *e, const char *text, size_t length, double *outputs,
                          int capacity) {
    const dsgec_environment found = dsgec_enter();
    const int count = evaluate_phenotype(e, text, length, outputs, capacity);
    dsgec_leave(found);
    return count;
}

int dsgec_engine_describe(dsgec_engine *e, const char *text, size_t length,
                          dsgec_engine_network *network) {
    const dsgec_environment found = dsgec_enter();
    const int error = describe(&e->describer, e->table.features, text, length, network);
    dsgec_leave(found);
    return error;
}

double dsgec_engine_number(const char *text, size_t length) {
    const dsgec_environment found = dsgec_enter();
    const volatile double value = read_number(text, length); /* not computed after `dsgec_leave` */
    dsgec_leave(found);
    return value;
}
