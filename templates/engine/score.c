/* An individual to its fitness: dsgec/search/scoring.py. */

static void score_individual(void *owner, int64_t task, int thread) {
    dsgec_engine *e = owner;
    Thread *own = &e->threads[thread];
    Individual *child = &e->offspring[e->fresh[task]];
    Outcome outcome = score(&own->scoring, &e->table, &e->targets, child->text.data,
                            child->text.length, &child->fitness, &child->size);
    child->evaluations = outcome != REFUSED;
    child->cost = 0;
    if (outcome == SCORED) {
        outcome = find_cost(e, own, child->text.data, child->text.length, child->size, &child->cost);
    }
    child->outcome = (int32_t)outcome;
}
