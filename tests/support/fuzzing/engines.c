/* Engines of the problem in the file that $PROBLEM names, and bytes mended so that they are let in.
 *
 * A state holds what hardly any change of its bytes leaves intact: the hash of each individual's
 * text stands among the texts. As a fuzzer does with a checksum, `mend` puts such things right. */
static Problem problem;
static dsgec_engine *begun; /* has run for two generations; mended bytes fall back on its own */
static Buffer begun_state;

static dsgec_engine *new_engine(void) {
    int error;
    dsgec_engine *e;
    if (problem.generations == 0) {
        problem = read_problem(getenv("PROBLEM"));
        point_to_costs(&problem);
    }
    e = dsgec_engine_new(&problem.settings, &error);
    EXPECT(e != NULL);
    return e;
}

static void step(dsgec_engine *e, int64_t generations) {
    dsgec_engine_rows rows;
    EXPECT(dsgec_engine_step(e, generations, 1e9, &rows) == OK);
    EXPECT(rows.rows != NULL && rows.count == generations);
}

static void put_bytes(Buffer *text, const char *data, size_t length) {
    EXPECT(RESERVE(text->data, text->capacity, text->length + length));
    memcpy(text->data + text->length, data, length);
    text->length += length;
}

static int32_t count_slots(const dsgec_engine *e) {
    return e->threads[0].mapping.slots.count;
}

/* An engine that mended a gene of a high part has as many slots for ever, and clears them all for
 * each individual: it would slow down every input that follows, so another takes its place. */
static void prepare_engines(void) {
    static int32_t slots;
    const char *data;
    size_t length;
    if (begun != NULL && count_slots(begun) > slots) {
        dsgec_engine_free(begun);
        begun = NULL;
    }
    if (begun == NULL) {
        begun = new_engine();
        step(begun, 2);
        EXPECT(dsgec_engine_save(begun, &data, &length) == OK);
        begun_state.length = 0;
        put_bytes(&begun_state, data, length);
        slots = count_slots(begun);
    }
}

/* All that Python may ask of an engine between two generations. */
static void look_at_all(dsgec_engine *e) {
    dsgec_engine_individual view;
    dsgec_engine_champion champions[LARGEST_CHAMPION + 1];
    const char *data;
    size_t length;
    int64_t i, k, count;
    volatile int32_t sum = 0; /* so that everything is read */
    for (i = 0; i < e->settings.population && dsgec_engine_generation(e) > 0; i++) {
        EXPECT(dsgec_engine_look(e, i, &view) == OK);
        EXPECT(view.fitness == view.fitness && (view.fitness == INFINITE) == view.invalid);
        for (k = 0; k < view.gene_count; k++) {
            sum += view.values[view.genes[k].start + view.genes[k].length - 1] & 1;
        }
        for (k = 0; k < view.phenotype_length; k++) {
            sum += view.phenotype[k] & 1;
        }
        EXPECT(dsgec_engine_send(e, i, &data, &length) == (view.invalid ? BAD_CALL : OK));
    }
    count = dsgec_engine_champions(e, champions);
    for (i = 0; i < count; i++) {
        EXPECT(champions[i].fitness - champions[i].fitness == 0.0);
        for (k = 0; k < champions[i].phenotype_length; k++) {
            EXPECT((unsigned char)champions[i].phenotype[k] < 0x80); /* Python decodes it */
        }
    }
}

/* Whether what the engine saves is what it was given: as long as, and in the same bytes. */
static void expect_saved(dsgec_engine *e, const char *data, size_t length) {
    const char *saved;
    size_t saved_length;
    EXPECT(dsgec_engine_save(e, &saved, &saved_length) == OK);
    EXPECT(saved_length == length && memcmp(saved, data, length) == 0);
}

/* What was let in goes to the folder $ACCEPTED, if it is said, for the reference to read as well. */
static void keep_accepted(const char *data, size_t length) {
    static int number;
    const char *folder = getenv("ACCEPTED");
    char path[4096];
    FILE *file;
    if (folder == NULL) {
        return;
    }
    snprintf(path, sizeof path, "%s/%06d", folder, number++);
    file = fopen(path, "wb");
    EXPECT(file != NULL && fwrite(data, 1, length, file) == length && fclose(file) == 0);
}

/* Whether it counted further than a state may. No run does, but one may begin with the largest
 * count that is let in. */
static int is_beyond(const dsgec_engine *e) {
    const int64_t most = INT64_MAX / 2;
    return e->generation > most || e->evaluations > most || e->reused > most;
}

/* Run on, and run on in a second engine from the middle: the same end. */
static void run_on(dsgec_engine *e) {
    dsgec_engine *second = new_engine();
    const char *data;
    size_t length;
    step(e, 1);
    look_at_all(e);
    EXPECT(dsgec_engine_save(e, &data, &length) == OK);
    if (is_beyond(e)) {
        EXPECT(dsgec_engine_restore(second, data, length) == BAD_STATE);
    } else {
        EXPECT(dsgec_engine_restore(second, data, length) == OK);
        expect_saved(second, data, length);
        step(e, 1);
        step(second, 1);
        EXPECT(dsgec_engine_save(e, &data, &length) == OK);
        expect_saved(second, data, length);
    }
    dsgec_engine_free(second);
}

/* Where the next genotype ends, if it does; what its words say is not looked at. */
static int skip_genotype(Bytes *reader) {
    uint64_t genes = get_word(reader, 4), length;
    for (; genes > 0 && !reader->failed; genes--) {
        (void)get_word(reader, 8);
        length = get_word(reader, 4);
        if (reader->failed || length > (reader->length - reader->at) / 4) {
            return 0;
        }
        reader->at += 4 * (size_t)length;
    }
    return !reader->failed;
}

/* The individual of the genotype that begins here, as the mapping mends it; one that it cannot mend
 * becomes `fallback`. 0 if the genotype does not end. */
static int mend_individual(Individual *individual, Bytes *reader, const Individual *fallback) {
    Genotype spare;
    Bytes one = *reader;
    memset(individual, 0, sizeof *individual);
    if (!skip_genotype(reader)) {
        return 0;
    }
    one.length = reader->at;
    memset(&spare, 0, sizeof spare);
    (void)get_individual(begun, &one, individual, &spare);
    if (individual->genotype.count == 0) {
        EXPECT(copy_individual(individual, fallback));
    }
    free_genotype(&spare);
    return 1;
}

static double mend_fitness(uint64_t bits) {
    double fitness = dsgec_from_bits(bits);
    return fitness - fitness == 0.0 ? fitness : (double)(bits & 0xff);
}

/* What stands behind the genotype of an individual that learns. */
static void mend_learned(Buffer *to, Bytes *reader, const Individual *individual, int is_valid) {
    uint64_t outcome = get_word(reader, 1) % (REFUSED + 1), bits = get_word(reader, 8);
    uint64_t size = get_word(reader, 4), count = get_word(reader, 4), i;
    uint64_t wanted = count > 0 ? (uint64_t)individual->weight_count : 0;
    outcome = individual->fault ? REFUSED : is_valid ? SCORED : outcome;
    bits = dsgec_bits(outcome == SCORED ? mend_fitness(bits) : INFINITE);
    size = outcome == SCORED ? size & INT32_MAX : 0;
    EXPECT(put_word(to, outcome, 1) && put_word(to, bits, 8) && put_word(to, size, 4));
    EXPECT(put_word(to, wanted, 4));
    for (i = 0; i < count && !reader->failed; i++) {
        double step = mend_fitness(get_word(reader, 8)), slope = mend_fitness(get_word(reader, 8));
        if (wanted > 0) {
            EXPECT(put_word(to, dsgec_bits(step > 0.0 ? step : 1.0 + (double)i), 8));
            EXPECT(put_word(to, dsgec_bits(slope), 8));
            wanted--;
        }
    }
    for (; wanted > 0; wanted--) {
        EXPECT(put_word(to, dsgec_bits(0.5), 8) && put_word(to, 0, 8));
    }
}
