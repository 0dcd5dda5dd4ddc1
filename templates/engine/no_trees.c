/* What engine.h declares of trees, in an engine that does not vary them. */

int64_t dsgec_engine_prune(dsgec_engine *e, int64_t rounds, dsgec_engine_champion *champions) {
    (void)e, (void)rounds, (void)champions;
    return 0;
}
