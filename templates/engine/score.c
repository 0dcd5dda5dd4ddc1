/* An individual to its fitness: dsgec/evolution/scoring.py. */

static void score_individual(void *owner, int64_t task, int thread) {
    dsgec_engine *e = owner;
    Individual *child = &e->offspring[e->fresh[task]];
    child->outcome = (int32_t)score(&e->threads[thread].scoring, &e->table, &e->targets,
                                    child->text.data, child->text.length, &child->fitness,
                                    &child->size);
    child->evaluations = child->outcome != REFUSED;
}
