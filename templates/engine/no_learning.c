/* What engine.h declares of learning, in an engine without it. */

int dsgec_engine_gradient(dsgec_engine *e, const char *text, size_t length,
                          const dsgec_engine_weight *weights, int64_t count, double penalty,
                          const double *values, double *loss, double *gradient) {
    (void)e, (void)text, (void)length, (void)weights, (void)count, (void)penalty;
    (void)values, (void)loss, (void)gradient;
    return REFUSED;
}

int dsgec_engine_tune(dsgec_engine *e, const char *text, size_t length,
                      const dsgec_engine_weight *weights, int64_t count, double penalty,
                      int64_t evaluations, double *values, double *loss, int64_t *used) {
    (void)e, (void)text, (void)length, (void)weights, (void)count, (void)penalty;
    (void)evaluations, (void)values, (void)loss, (void)used;
    return REFUSED;
}
