/* Fit the outputs to the target by a least-squares line: dsgec/search/rows.py. */
#ifndef DSGEC_LINEAR_C
#define DSGEC_LINEAR_C
#include "sums.c"

#if LINEAR
#define LEAST_SPREAD 1e-20

/* Store the output of the tape on its rows in the column. */
static int fill_column(Scorer *s, const Table *table, const Targets *targets) {
    size_t row, end = end_row(targets), n;
    if (!RESERVE(s->column, s->column_capacity, table->rows)) {
        return 0;
    }
    for (row = first_row(targets); row < end; row += n) {
        n = end - row < s->blocks.block ? end - row : s->blocks.block;
        run_block(&s->blocks, table, &s->tape, row, n, s->outputs);
        memcpy(s->column + row, s->outputs[0], n * sizeof *s->column);
    }
    return 1;
}

/* Replace the output by intercept + slope * output; a numeric target has one group of rows. */
static Outcome fit_line(Scorer *s, const Table *table, const Targets *targets) {
    double squares[LANES] = {0.0}, products[LANES] = {0.0};
    double spread, together, mean, least, intercept, *column;
    size_t first = first_row(targets), count = (size_t)targets->groups[0].count;
    size_t whole = count / LANES * LANES, i, n;
    const double *wanted = targets->single + first;
    int lane;
    if (!fill_column(s, table, targets)) {
        return SCORE_NO_MEMORY;
    }
    column = s->column + first;
    mean = measure_mean(column, targets);
    for (i = 0; i < whole; i += LANES) {
        for (lane = 0; lane < LANES; lane++) {
            size_t at = i + (size_t)lane;
            double centred = column[at] - mean;
            squares[lane] += WEIGHED(centred * centred, targets, first + at);
            products[lane] += WEIGHED(centred * (wanted[at] - targets->mean), targets, first + at);
        }
    }
    for (; i < count; i++) {
        double centred = column[i] - mean;
        squares[i - whole] += WEIGHED(centred * centred, targets, first + i);
        products[i - whole] += WEIGHED(centred * (wanted[i] - targets->mean), targets, first + i);
    }
    spread = add_lanes(squares);
    together = add_lanes(products);
    least = LEAST_SPREAD * ((double)count * (mean * mean));
    if (!(spread - spread == 0.0) || !(together - together == 0.0) || !(least - least == 0.0)) {
        return NOT_FINITE;
    }
    s->slope = spread > least ? together / spread : 0.0;
    intercept = targets->mean - s->slope * mean;
    n = end_row(targets) - first;
    rows_sum[1](column, &s->slope, (const double *const *)&column, intercept, n);
    return SCORED;
}

/* Compute the outputs that the objective measures, for the `n` rows from `row` on. With `again`,
 * the tape runs again for the backward pass, unless it has just run on these rows. */
static void run_judged(Scorer *s, const Table *table, const Targets *targets, size_t row,
                       size_t n, int again) {
    if (again && end_row(targets) - first_row(targets) > s->blocks.block) {
        run_block(&s->blocks, table, &s->tape, row, n, s->outputs);
    }
    s->outputs[0] = s->column + row;
}
#if LEARNING

/* Convert the gradients of the fitted output to those of the output. */
static void line_gradients(const Scorer *s, double *gradients, size_t n) {
    rows_sum[1](gradients, &s->slope, (const double *const *)&gradients, -0.0, n);
}
#endif
#else

static Outcome fit_line(Scorer *s, const Table *table, const Targets *targets) {
    return (void)s, (void)table, (void)targets, SCORED;
}

static void run_judged(Scorer *s, const Table *table, const Targets *targets, size_t row,
                       size_t n, int again) {
    (void)targets, (void)again;
    run_block(&s->blocks, table, &s->tape, row, n, s->outputs);
}
#if LEARNING

static void line_gradients(const Scorer *s, double *gradients, size_t n) {
    (void)s, (void)gradients, (void)n;
}
#endif
#endif
#endif
