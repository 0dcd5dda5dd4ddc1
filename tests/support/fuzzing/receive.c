/* A migrant of any bytes is refused, or the population can be run on with it. */
static int try_migrant(const char *data, size_t length, size_t genotype) {
    dsgec_engine *e = new_engine();
    int64_t number = (int64_t)(length % (size_t)problem.settings.population);
    const char *sent;
    size_t sent_length;
    dsgec_engine_rows rows;
    int error;
    EXPECT(dsgec_engine_restore(e, begun_state.data, begun_state.length) == OK);
    error = dsgec_engine_receive(e, number, data, length);
    if (error != OK) {
        EXPECT(error == BAD_STATE || error == NO_MEMORY || error == TOO_MANY_LAYERS);
        EXPECT(dsgec_engine_step(e, 1, 1e9, &rows) == error);
    } else {
        keep_accepted(data, length);
        look_at_all(e);
        /* Its score is the one that the memory had, if it had one. */
        if (dsgec_engine_send(e, number, &sent, &sent_length) == OK) {
            EXPECT(sent_length == length);
            EXPECT(memcmp(sent, data, LEARNING ? length : genotype) == 0);
        }
        run_on(e);
    }
    dsgec_engine_free(e);
    return error;
}

static void fuzz_receive(const uint8_t *bytes, size_t size) {
    const char *data = (const char *)bytes;
    Bytes reader = {data, 0, size, 0};
    Buffer mended = {NULL, 0, 0};
    Individual individual;
    size_t genotype;
    prepare_engines();
    genotype = skip_genotype(&reader) ? reader.at : 0;
    if (try_migrant(data, size, genotype) != OK) {
        reader.at = 0;
        reader.failed = 0;
        if (mend_individual(&individual, &reader, &begun->population[0]) && !individual.fault) {
            EXPECT(put_genotype(&mended, &individual.genotype));
            genotype = mended.length;
            if (LEARNING) {
                mend_learned(&mended, &reader, &individual, 1);
            } else {
                EXPECT(put_word(&mended, dsgec_bits(mend_fitness(get_word(&reader, 8))), 8));
                EXPECT(put_word(&mended, get_word(&reader, 4) & INT32_MAX, 4));
            }
            EXPECT(try_migrant(mended.data, mended.length, genotype) == OK);
        }
        free_individual(&individual);
        free(mended.data);
    }
}
