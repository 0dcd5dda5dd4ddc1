/* rmse: dsgec/search/objectives.py. */
#include "errors.c"

enum { CHECKS_OUTPUTS = 0, BY_CLASS = 0, LOGISTIC = 0 };

static void row_errors(double *errors, const double *const *outputs, int32_t count,
                       const Targets *targets, size_t rows, size_t row, size_t n) {
    squared_errors(errors, outputs, count, targets, rows, row, n);
}

static double group_fitness(const GroupSum *g) {
    return dsgec_sqrt(g->total / (double)(g->count * g->outputs));
}
#if LEARNING

static void row_gradients(double *gradients, const double *output, const double *wanted,
                          int32_t count, size_t n) {
    (void)count;
    difference_gradients(gradients, output, wanted, n);
}

static double group_factor(const GroupSum *g, double fitness) {
    return fitness == 0.0 ? 0.0 : 1.0 / ((double)(g->count * g->outputs) * fitness);
}
#endif
