/* Sums over rows in a fixed order: `ordered_sum` of dsgec/search/rows.py. */
#ifndef DSGEC_SUMS_C
#define DSGEC_SUMS_C
#include "errors.c"

/* Add the lanes from first to last. */
static double add_lanes(const double *lanes) {
    double total = 0.0;
    int lane;
    for (lane = 0; lane < LANES; lane++) {
        total += lanes[lane];
    }
    return total;
}

/* The rows of all groups, including padding. */
static size_t first_row(const Targets *targets) {
    return (size_t)targets->groups[0].start;
}

static size_t end_row(const Targets *targets) {
    const dsgec_engine_group *last = &targets->groups[targets->group_count - 1];
    return (size_t)(last->start + (last->count + LANES - 1) / LANES * LANES);
}

/* Multiply the errors or gradients of the `n` rows from `row` on by the weights of the rows. */
static void weigh(double *values, const Targets *targets, size_t row, size_t n) {
#if WEIGHTED
    rows_multiply(values, values, targets->row_weights + row, NULL, n);
#else
    (void)values, (void)targets, (void)row, (void)n;
#endif
}

/* Return the mean of values that begin with the first row: `ordered_mean` of objectives.py. */
static double measure_mean(const double *values, const Targets *targets) {
    size_t count = (size_t)targets->groups[0].count;
    double lanes[LANES] = {0.0};
#if WEIGHTED
    const double *row_weights = targets->row_weights + first_row(targets);
    double masses[LANES] = {0.0};
    size_t i;
    for (i = 0; i < count; i++) {
        lanes[i % LANES] += values[i] * row_weights[i];
    }
    add_to_lanes(masses, row_weights, count);
    return add_lanes(lanes) / add_lanes(masses);
#else
    add_to_lanes(lanes, values, count);
    return add_lanes(lanes) / (double)count;
#endif
}

/* Return the sum of the squared distances of a numeric target from its mean. */
static double measure_spread(const Targets *targets) {
    double lanes[LANES] = {0.0}, squares[LANES], mean = targets->mean;
    const double *single = targets->single + first_row(targets);
    size_t count = (size_t)targets->groups[0].count, row, i, n;
    for (row = 0; row < count; row += n) {
        n = count - row < LANES ? count - row : LANES;
        for (i = 0; i < n; i++) {
            squares[i] = WEIGHED((single[row + i] - mean) * (single[row + i] - mean), targets,
                                 first_row(targets) + row + i);
        }
        add_to_lanes(lanes, squares, n);
    }
    return add_lanes(lanes);
}
#endif
