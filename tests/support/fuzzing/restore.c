/* A state of any bytes is refused, or it is whole and can be run on with. */
enum { ENTRY = 29 };

static int try_state(const char *data, size_t length) {
    dsgec_engine *e = new_engine();
    dsgec_engine_rows rows;
    int error = dsgec_engine_restore(e, data, length);
    if (error != OK) {
        EXPECT(error == BAD_STATE || error == NO_MEMORY || error == TOO_MANY_LAYERS);
        EXPECT(dsgec_engine_step(e, 1, 1e9, &rows) == error);
    } else {
        keep_accepted(data, length);
        expect_saved(e, data, length);
        look_at_all(e);
        run_on(e);
    }
    dsgec_engine_free(e);
    return error;
}

static void mend_texts(Buffer *to, Bytes *reader, uint64_t count, Scores *seen) {
    for (; count > 0 && reader->length - reader->at >= ENTRY; count--) {
        Hash hash;
        uint64_t bits, outcome, size;
        hash.low = get_word(reader, 8);
        hash.high = get_word(reader, 8);
        bits = get_word(reader, 8);
        outcome = get_word(reader, 1) % (REFUSED + 1);
        size = outcome == SCORED ? get_word(reader, 4) & INT32_MAX : get_word(reader, 4) & 0;
        if (find_entry(seen, &hash) >= 0) {
            continue;
        }
        EXPECT(add_entry(seen, &hash) >= 0);
        EXPECT(put_word(to, hash.low, 8) && put_word(to, hash.high, 8));
        EXPECT(put_word(to, dsgec_bits(outcome == SCORED ? mend_fitness(bits) : INFINITE), 8));
        EXPECT(put_word(to, outcome, 1) && put_word(to, size, 4));
    }
}

/* The texts of the population that are not among those of the state. */
static void add_texts(Buffer *to, const Hash *hashes, size_t count, Scores *seen) {
    size_t i;
    for (i = 0; i < count; i++) {
        if (find_entry(seen, &hashes[i]) < 0) {
            EXPECT(add_entry(seen, &hashes[i]) >= 0);
            EXPECT(put_word(to, hashes[i].low, 8) && put_word(to, hashes[i].high, 8));
            EXPECT(put_word(to, dsgec_bits((double)(hashes[i].low & 7)), 8));
            EXPECT(put_word(to, SCORED, 1) && put_word(to, hashes[i].high & 15, 4));
        }
    }
}

/* A champion that is a network of the task goes to the place of its size. */
static void mend_champion(Hall *hall, double fitness, const char *text, size_t length,
                          const Genotype *genotype) {
    Scorer *s = &begun->threads[0].scorer;
    if (length > 0 && prepare(s, &begun->table, &begun->targets, text, length) == SCORED) {
        int64_t size = (int64_t)count_connections(&s->parser);
        if (size <= LARGEST_CHAMPION) {
            EXPECT(set_champion(&hall->slots[size], fitness, size, 0, text, length));
            EXPECT(!LEARNING || copy_genotype(&hall->slots[size].genotype, genotype));
        }
    }
}

static void mend_hall(Buffer *to, Bytes *reader) {
    Hall *hall = calloc(1, sizeof *hall);
    Individual individual;
    int i;
    EXPECT(hall != NULL);
    for (i = 0; i <= LARGEST_CHAMPION; i++) {
        size_t length = (size_t)get_word(reader, 4);
        uint64_t bits = length > 0 ? get_word(reader, 8) : 0;
        const char *text = reader->data + reader->at;
        if (LEARNING && length > 0 && !reader->failed) {
            if (mend_individual(&individual, reader, &begun->population[0])) {
                mend_champion(hall, mend_fitness(bits), individual.phenotype.data,
                              individual.phenotype.length, &individual.genotype);
            }
            free_individual(&individual);
        } else {
            if (reader->failed || length > reader->length - reader->at) {
                break;
            }
            reader->at += length;
            mend_champion(hall, mend_fitness(bits), text, length, NULL);
        }
    }
    EXPECT(put_hall(to, hall));
    free_hall(hall);
    free(hall);
}

/* A state with as much of the bytes as can be in one; 0 if they do not even hold a population. */
static int mend(Buffer *to, const char *data, size_t length) {
    Bytes reader = {data, sizeof MAGIC, length, 0};
    Buffer texts = {NULL, 0, 0};
    Scores seen;
    Hash *hashes = calloc((size_t)problem.settings.population, sizeof *hashes);
    uint64_t counts[5];
    size_t found = 0, place;
    int64_t i;
    int whole;
    EXPECT(hashes != NULL);
    memset(&seen, 0, sizeof seen);
    put_bytes(to, MAGIC, sizeof MAGIC);
    for (i = 0; i < 5; i++) {
        counts[i] = get_word(&reader, 8);
        counts[i] = i < 3 ? counts[i] & INT64_MAX / 2 : counts[i];
        EXPECT(put_word(to, i == 3 ? (uint64_t)problem.settings.population : counts[i], 8));
    }
    place = to->length - 8;
    for (i = 0; i < problem.settings.population && counts[0] > 0 && !reader.failed; i++) {
        Individual individual;
        if (mend_individual(&individual, &reader, &begun->population[i])) {
            EXPECT(put_genotype(to, &individual.genotype));
            if (LEARNING) {
                mend_learned(to, &reader, &individual, 0);
            } else if (!individual.fault) {
                hashes[found++] = individual.hash;
            }
        } else {
            reader.failed = 1;
        }
        free_individual(&individual);
    }
    whole = !reader.failed;
    if (whole) {
        mend_texts(&texts, &reader, LEARNING ? 0 : counts[4], &seen);
        add_texts(&texts, hashes, found, &seen);
        if (texts.length > 0) {
            put_bytes(to, texts.data, texts.length);
        }
        for (i = 0; i < 8; i++) {
            to->data[place + (size_t)i] = (char)(unsigned char)(seen.count >> 8 * i & 0xff);
        }
        mend_hall(to, &reader);
    }
    free(texts.data);
    free(hashes);
    free_scores(&seen);
    return whole;
}

static void fuzz_restore(const uint8_t *bytes, size_t size) {
    const char *data = (const char *)bytes;
    Buffer mended = {NULL, 0, 0};
    prepare_engines();
    if (try_state(data, size) != OK) {
        if (size >= sizeof MAGIC && mend(&mended, data, size)) {
            EXPECT(try_state(mended.data, mended.length) == OK);
        }
        free(mended.data);
    }
}
