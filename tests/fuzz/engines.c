/* Engines of the problem in the file that $PROBLEM names, and bytes mended so that they are let in.
 *
 * A state holds what hardly any change of its bytes leaves intact: the hash of each individual's
 * text stands among the texts. As a fuzzer does with a checksum, `mend` puts such things right. */
static Problem problem;
static dsgec_engine *begun; /* has run for two generations; mended bytes fall back on its own */
static Text begun_state;

static dsgec_engine *new_engine(void) {
    int error;
    dsgec_engine *e;
    if (problem.generations == 0) {
        problem = read_problem(getenv("PROBLEM"));
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

static void put_bytes(Text *text, const char *data, size_t length) {
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
        for (k = 0; k < view.text_length; k++) {
            sum += view.text[k] & 1;
        }
        EXPECT(dsgec_engine_send(e, i, &data, &length) == (view.invalid ? BAD_CALL : OK));
    }
    count = dsgec_engine_champions(e, champions);
    for (i = 0; i < count; i++) {
        EXPECT(champions[i].fitness - champions[i].fitness == 0.0);
        for (k = 0; k < champions[i].text_length; k++) {
            EXPECT((unsigned char)champions[i].text[k] < 0x80); /* Python decodes it */
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

/* Run on, and run on in a second engine from the middle: the same end. */
static void run_on(dsgec_engine *e) {
    dsgec_engine *second = new_engine();
    const char *data;
    size_t length;
    step(e, 1);
    look_at_all(e);
    EXPECT(dsgec_engine_save(e, &data, &length) == OK);
    EXPECT(dsgec_engine_restore(second, data, length) == OK);
    expect_saved(second, data, length);
    step(e, 1);
    step(second, 1);
    EXPECT(dsgec_engine_save(e, &data, &length) == OK);
    expect_saved(second, data, length);
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

/* The genotype that begins here, as the mapping mends it; one that it cannot mend becomes that of
 * `fallback`. Its text's hash comes back, unless it has none. */
static int mend_genotype(Text *to, Bytes *reader, const Individual *fallback, Hash *hash) {
    Individual individual;
    Genotype spare;
    Bytes one = *reader;
    int has_text;
    if (!skip_genotype(reader)) {
        return -1;
    }
    one.length = reader->at;
    memset(&individual, 0, sizeof individual);
    memset(&spare, 0, sizeof spare);
    (void)get_individual(begun, &one, &individual, &spare);
    if (individual.genotype.count == 0) {
        EXPECT(put_genotype(to, &fallback->genotype));
        *hash = fallback->hash;
        has_text = !fallback->fault;
    } else {
        EXPECT(put_genotype(to, &individual.genotype));
        *hash = individual.hash;
        has_text = !individual.fault;
    }
    free_genotype(&spare);
    free_genotype(&individual.genotype);
    free(individual.text.data);
    return has_text;
}

static double mend_fitness(uint64_t bits) {
    double fitness = dsgec_from_bits(bits);
    return fitness - fitness == 0.0 ? fitness : (double)(bits & 0xff);
}
