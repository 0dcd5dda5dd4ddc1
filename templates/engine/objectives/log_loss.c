/* log-loss: dsgec/search/objectives.py. */
#include "errors.c"

enum { CHECKS_OUTPUTS = 1, BY_CLASS = 0, LOGISTIC = 1 };

static void row_errors(double *errors, const double *const *outputs, int32_t count,
                       const Targets *targets, size_t rows, size_t row, size_t n) {
    log_losses(errors, outputs, count, targets, rows, row, n);
}

static double group_fitness(const GroupSum *g) {
    return g->total / (double)g->count;
}
#if LEARNING

static void row_gradients(double *gradients, const double *output, const double *wanted,
                          int32_t count, size_t n) {
    log_loss_gradients(gradients, output, wanted, count, n);
}

static double group_factor(const GroupSum *g, double fitness) {
    return (void)fitness, 1.0 / (double)g->count;
}
#endif
