/* The loss of a network and its gradient: dsgec/search/gradient.py. */
#include "fitness.c"
#include "variant.h"
#if LEARNING && !defined(DSGEC_LEARN_C)
#define DSGEC_LEARN_C

/* Read the value of a weight of the phenotype; return 0 if it is not a numeral. */
static int read_weight(const char *text, size_t length, const dsgec_engine_weight *weight,
                       double *value) {
    size_t start = (size_t)weight->offset, end = start + (size_t)weight->length;
    int negative;
    if (weight->offset < 0 || weight->length < 1 || end > length) {
        return 0;
    }
    negative = text[start] == '-';
    start += (size_t)negative;
    if (start == end || scan_number(text, start, end, value) != end) {
        return 0;
    }
    *value = negative ? -*value : *value;
    return 1;
}

static int read_weights(BackwardPass *l, const char *text, size_t length,
                        const dsgec_engine_weight *weights, int64_t count) {
    int64_t i, end = 0;
    for (i = 0; i < count; i++) {
        if (weights[i].offset < end || !read_weight(text, length, &weights[i], &l->values[i])) {
            return 0;
        }
        end = (int64_t)weights[i].offset + weights[i].length;
    }
    return 1;
}

/* Parse a phenotype with its weights; the tape keeps what the backward pass needs. The values of
 * weights that are whole tokens may be known; otherwise they are read from the phenotype. */
static Outcome prepare_weights(Scorer *s, const Table *table, const Targets *targets,
                               const char *text, size_t length,
                               const dsgec_engine_weight *weights, const double *known,
                               int64_t count) {
    BackwardPass *l = &s->backward;
    Tape *t = &s->tape;
    Outcome outcome;
    int32_t registers;
    if (count < 0 || count > INT32_MAX / 2) {
        return REFUSED;
    }
    if (!RESERVE(l->values, l->values_capacity, count + 1)) {
        return SCORE_NO_MEMORY;
    }
    if (known == NULL && !read_weights(l, text, length, weights, count)) {
        return REFUSED;
    }
    s->parser.weights = weights;
    s->parser.known = known;
    s->parser.weight_count = (int32_t)count;
    t->keep_all = 1;
    outcome = prepare(s, table, targets, text, length);
    s->parser.weight_count = 0;
    t->keep_all = 0;
    if (outcome != SCORED) {
        return outcome;
    }
    if (!plan(l, t, count, targets->group_count)) {
        return SCORE_NO_MEMORY;
    }
    if (LOGISTIC && t->output_count == 1 && !t->softmax && is_active(l, t->outputs[0])) {
        int32_t last = l->makers[t->outputs[0]];
        l->steps[last].direct = t->items[last].operation == DOT && t->items[last].sigmoid;
    }
    registers = count_registers(t) + l->delta_count;
    return have_blocks(&s->blocks, registers) ? SCORED : SCORE_NO_MEMORY;
}

/* Set the values of the weights; frozen ones keep the value of the phenotype. */
static void set_values(Scorer *s, const double *values) {
    int64_t i;
    for (i = 0; i < s->backward.count; i++) {
        const Site *site = &s->backward.sites[i];
        if (site->instruction >= 0) {
            Instruction *in = &s->tape.items[site->instruction];
            *(site->term < 0 ? &in->value : &in->weight[site->term]) = site->sign * values[i];
        }
    }
}

/* Compute the output gradients; those of padding rows are 0. */
static void find_output_gradients(Scorer *s, const double *const *wanted, const Targets *targets,
                                  size_t row, size_t n, size_t counted) {
    BackwardPass *l = &s->backward;
    const Tape *t = &s->tape;
    int32_t count = t->output_count, k;
    int direct = count == 1 && is_active(l, t->outputs[0]) &&
                 l->steps[l->makers[t->outputs[0]]].direct;
    int logistic = LOGISTIC && (t->softmax || direct);
    size_t i;
    for (k = 0; k < count; k++) {
        double *gradients = delta_memory(&s->blocks, t, k);
        if (logistic) {
            rows_subtract(gradients, s->outputs[k], wanted[k], n);
        } else {
            row_gradients(gradients, s->outputs[k], wanted[k], count == 1, n);
        }
        l->deltas[k] = gradients;
    }
    if (t->softmax && !logistic) {
        rows_softmax_gradient(s->outputs, delta_memory(&s->blocks, t, 0), s->blocks.stride, count, n);
    }
    for (k = 0; k < count; k++) {
        weigh(delta_memory(&s->blocks, t, k), targets, row, n);
        for (i = counted; i < n; i++) {
            delta_memory(&s->blocks, t, k)[i] = 0.0;
        }
    }
}

/* Sum the lanes of the weights at the end of a group. */
static void end_lanes(BackwardPass *l, const Tape *t, int64_t group) {
    double *sums = l->sums + group * l->count;
    int64_t i;
    (void)t;
    for (i = 0; i < l->count; i++) {
        const Site *site = &l->sites[i];
        if (site->instruction >= 0) {
            size_t slot = (size_t)(l->steps[site->instruction].slot + site->term + 1);
            sums[i] = site->sign * add_lanes(l->lanes + slot * LANES);
        }
    }
}

/* Sum the errors of one group of rows and, with `back`, the gradients of the weights. */
static Outcome learn_group(Scorer *s, const Table *table, const Targets *targets, int64_t number,
                           int back, double *total) {
    const dsgec_engine_group *group = &targets->groups[number];
    int no_classes = BY_CLASS && targets->classes == 0;
    size_t row = (size_t)group->start, last = row + (size_t)group->count, n;
    size_t whole = (last + LANES - 1) / LANES * LANES;
    double errors[BLOCK], lanes[LANES] = {0.0};
    const double *const *wanted;
    if (back) {
        memset(s->backward.lanes, 0, (size_t)s->backward.slot_count * LANES * sizeof(double));
    }
    for (; row < whole; row += n) {
        size_t counted = last - row;
        n = whole - row < s->blocks.block ? whole - row : s->blocks.block;
        counted = counted < n ? counted : n;
        run_judged(s, table, targets, row, n, back);
        if ((CHECKS_OUTPUTS || no_classes) && !all_finite(s->outputs, s->tape.output_count, n)) {
            return NOT_FINITE;
        }
        if (no_classes) {
            continue; /* an empty product */
        }
        wanted = find_wanted(s, table, targets, row);
        learned_errors(errors, s->outputs, wanted, s->tape.output_count, n);
        weigh(errors, targets, row, n);
        add_to_lanes(lanes, errors, counted);
        if (back) {
            find_output_gradients(s, wanted, targets, row, n, counted);
            line_gradients(s, delta_memory(&s->blocks, &s->tape, 0), n);
            back_block(&s->backward, &s->blocks, table, &s->tape, row, n);
        }
    }
    *total = add_lanes(lanes);
    if (back) {
        end_lanes(&s->backward, &s->tape, number);
    }
    return SCORED;
}

/* Combine the gradients of the groups, and add that of the penalty. */
static void end_gradient(const Scorer *s, const Targets *targets, double penalty,
                         const double *values, double fitness, double *gradient) {
    const BackwardPass *l = &s->backward;
    int64_t groups = BY_CLASS && targets->classes == 0 ? 0 : targets->group_count, g, i;
    for (i = 0; i < l->count; i++) {
        gradient[i] = 0.0;
    }
    for (g = 0; g < groups; g++) {
        double rows = (double)targets->groups[g].count;
        double factor = group_factor(l->totals[g], rows, rows * s->tape.output_count,
                                     targets->spread, fitness);
        for (i = 0; i < l->count; i++) {
            if (l->sites[i].instruction >= 0) {
                gradient[i] += factor * l->sums[g * l->count + i];
            }
        }
    }
    for (i = 0; i < l->count; i++) {
        if (l->sites[i].instruction >= 0) {
            gradient[i] += (2.0 * penalty) * values[i];
        }
        gradient[i] = gradient[i] - gradient[i] == 0.0 ? gradient[i] : 0.0;
    }
}

/* Compute the loss with these values and, unless it is NULL, the gradient. */
static Outcome learn(Scorer *s, const Table *table, const Targets *targets, double penalty,
                     const double *values, double *loss, double *gradient) {
    double fitness = 1.0, squares = 0.0;
    int no_classes = BY_CLASS && targets->classes == 0;
    Outcome fitted;
    int64_t g, i;
    set_values(s, values);
    fitted = fit_line(s, table, targets);
    if (fitted != SCORED) {
        return fitted;
    }
    for (g = 0; g < targets->group_count; g++) {
        double rows = (double)targets->groups[g].count, total;
        Outcome outcome = learn_group(s, table, targets, g, gradient != NULL, &total);
        if (outcome != SCORED) {
            return outcome;
        }
        s->backward.totals[g] = total;
        if (!no_classes) {
            fitness *= learned_fitness(total, rows, rows * s->tape.output_count, targets->spread);
        }
    }
    for (i = 0; i < s->backward.count; i++) {
        squares += values[i] * values[i];
    }
    *loss = fitness + penalty * squares;
    if (!(*loss - *loss == 0.0)) {
        return NOT_FINITE;
    }
    if (gradient != NULL) {
        end_gradient(s, targets, penalty, values, fitness, gradient);
    }
    return SCORED;
}
#endif
