/* The functions of engine.h about learning. */
#ifndef DSGEC_LEARNING_C
#define DSGEC_LEARNING_C
#include "individual.c"
#include "tune.c"

#if LEARNING
int dsgec_engine_gradient(dsgec_engine *e, const char *phenotype, size_t length,
                          const dsgec_engine_weight *weights, int64_t count, double penalty,
                          const double *values, double *loss, double *gradient) {
    const dsgec_environment found = dsgec_enter();
    Scorer *s = &e->threads[0].scorer;
    Outcome outcome = prepare_weights(s, &e->table, &e->targets, phenotype, length, weights, NULL,
                                      count);
    if (outcome == SCORED) {
        outcome = learn(s, &e->table, &e->targets, penalty,
                        values != NULL ? values : s->backward.values, loss, gradient);
    }
    dsgec_leave(found);
    return (int)outcome;
}

int dsgec_engine_tune(dsgec_engine *e, const char *phenotype, size_t length,
                      const dsgec_engine_weight *weights, int64_t count, double penalty,
                      int64_t evaluations, double *values, double *loss, int64_t *used) {
    const dsgec_environment found = dsgec_enter();
    Scorer *s = &e->threads[0].scorer;
    Outcome outcome = prepare_weights(s, &e->table, &e->targets, phenotype, length, weights, NULL,
                                      count);
    *used = 0;
    if (outcome == SCORED) {
        outcome =
            tune(s, &e->table, &e->targets, penalty, weights, evaluations, values, loss, used);
    }
    dsgec_leave(found);
    return (int)outcome;
}
#else /* an engine without learning */

int dsgec_engine_gradient(dsgec_engine *e, const char *phenotype, size_t length,
                          const dsgec_engine_weight *weights, int64_t count, double penalty,
                          const double *values, double *loss, double *gradient) {
    (void)e, (void)phenotype, (void)length, (void)weights, (void)count, (void)penalty;
    (void)values, (void)loss, (void)gradient;
    return REFUSED;
}

int dsgec_engine_tune(dsgec_engine *e, const char *phenotype, size_t length,
                      const dsgec_engine_weight *weights, int64_t count, double penalty,
                      int64_t evaluations, double *values, double *loss, int64_t *used) {
    (void)e, (void)phenotype, (void)length, (void)weights, (void)count, (void)penalty;
    (void)evaluations, (void)values, (void)loss, (void)used;
    return REFUSED;
}
#endif
#endif
