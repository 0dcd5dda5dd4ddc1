/* Changes to states and migrants that keep their form, for libFuzzer: see `outline`. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

enum { MOST_GENES = 4096 };

/* Where things are: genes, of individuals that learn what stands behind them, then in a state the
 * texts and the champions. */
typedef struct {
    size_t gene[MOST_GENES], owner[MOST_GENES]; /* the owner is the count of the genes around */
    size_t learned[MOST_GENES];
    size_t genes, learners, texts, texts_end;
} Outline;

typedef struct {
    uint8_t *data;
    size_t size, most;
    uint32_t random;
} Input;

static uint32_t draw(Input *in, size_t count) {
    in->random = in->random * 1664525u + 1013904223u;
    return count > 0 ? (in->random >> 8) % (uint32_t)count : 0;
}

static uint32_t word_at(const Input *in, size_t at) {
    return (uint32_t)read_word((const char *)in->data + at, 4);
}

static void set_word(Input *in, size_t at, uint64_t word, size_t bytes) {
    size_t i;
    for (i = 0; i < bytes && at + i < in->size; i++) {
        in->data[at + i] = (uint8_t)(word >> 8 * i & 0xff);
    }
}

/* Numbers that lie at the ends of what is allowed somewhere, or are as any choice. */
static uint32_t draw_number(Input *in) {
    static const uint32_t ends[] = {0, 1, 0x7fffffff, 0x80000000u, 0xffffffffu, 0x7fff, 0x8000};
    uint32_t layer = draw(in, 4);
    switch (draw(in, 6)) {
    case 0:
        return ends[draw(in, sizeof ends / sizeof *ends)];
    case 1: /* a neuron of a layer */
        return grammar.inputs + layer * STRIDE + draw(in, 6);
    case 2:
        return grammar.inputs + draw(in, 3) - 1;
    case 3:
        return draw(in, 0x10000) << 15 | draw(in, 0x10000);
    default:
        return draw(in, 12);
    }
}

/* Put `length` bytes in the place of `removed` ones at `at`, if there is room. */
static int splice(Input *in, size_t at, size_t removed, const uint8_t *bytes, size_t length) {
    if (at + removed > in->size || in->size - removed + length > in->most) {
        return 0;
    }
    memmove(in->data + at + length, in->data + at + removed, in->size - at - removed);
    if (length > 0) {
        memcpy(in->data + at, bytes, length);
    }
    in->size += length;
    in->size -= removed;
    return 1;
}

/* The genes of the genotype that begins here; 0 if it does not end. */
static int outline_genes(Bytes *reader, Outline *out) {
    size_t owner = reader->at;
    uint64_t genes = get_word(reader, 4);
    for (; genes > 0 && !reader->failed && out->genes < MOST_GENES; genes--) {
        uint64_t length;
        out->gene[out->genes] = reader->at;
        out->owner[out->genes] = owner;
        (void)get_word(reader, 8);
        length = get_word(reader, 4);
        if (reader->failed || length > (reader->length - reader->at) / 4) {
            return 0;
        }
        reader->at += 4 * (size_t)length;
        out->genes++;
    }
    return !reader->failed;
}

static int outline_learned(Bytes *reader, Outline *out) {
    uint64_t rates;
    if (out->learners == MOST_GENES) {
        return 0;
    }
    out->learned[out->learners] = reader->at;
    (void)get_word(reader, 1), (void)get_word(reader, 8), (void)get_word(reader, 4);
    rates = get_word(reader, 4);
    if (reader->failed || rates > (reader->length - reader->at) / 16) {
        return 0;
    }
    out->learners++;
    reader->at += 16 * (size_t)rates;
    return 1;
}

/* Champions of a run that learns are genotypes. */
static void outline_hall(Bytes *reader, Outline *out) {
    int whole = LEARNING;
    while (whole && reader->at < reader->length) {
        if (get_word(reader, 4) > 0) {
            (void)get_word(reader, 8);
            whole = outline_genes(reader, out);
        }
        whole = whole && !reader->failed;
    }
}

/* As far as the bytes have the form. A migrant is one individual, without a beginning. */
static void outline(const Input *in, Outline *out) {
    Bytes reader = {(const char *)in->data, 0, in->size, 0};
    uint64_t individuals = 1, texts = 0;
    memset(out, 0, sizeof *out);
    if (in->size >= sizeof MAGIC + 40 && memcmp(in->data, MAGIC, sizeof MAGIC) == 0) {
        reader.at = sizeof MAGIC + 24;
        individuals = get_word(&reader, 8);
        texts = get_word(&reader, 8);
    }
    for (; individuals > 0 && !reader.failed && out->genes < MOST_GENES; individuals--) {
        if (!outline_genes(&reader, out) || (LEARNING && !outline_learned(&reader, out))) {
            return;
        }
    }
    out->texts = reader.at;
    out->texts_end = texts > (in->size - reader.at) / 29 ? in->size : reader.at + 29 * (size_t)texts;
    outline_hall(&reader, out);
}

static void change_gene(Input *in, const Outline *out) {
    uint32_t number = draw(in, out->genes), i;
    size_t at = out->gene[number], length = word_at(in, at + 8), end = at + 12 + 4 * length;
    uint8_t added[16];
    switch (draw(in, 8)) {
    case 0: /* longer */
        for (i = 0; i < 16; i += 4) {
            uint32_t value = draw_number(in);
            memcpy(added + i, &value, 4);
        }
        i = 1 + draw(in, 4);
        if (splice(in, end, 0, added, 4 * i)) {
            set_word(in, at + 8, length + i, 4);
        }
        return;
    case 1: /* shorter */
        i = 1 + draw(in, length);
        if (i < length && splice(in, end - 4 * i, 4 * i, NULL, 0)) {
            set_word(in, at + 8, length - i, 4);
        }
        return;
    case 2: /* gone */
        if (splice(in, at, end - at, NULL, 0)) {
            set_word(in, out->owner[number], word_at(in, out->owner[number]) - 1, 4);
        }
        return;
    case 3: { /* once more, as that of another part or another individual */
        uint32_t other = draw(in, out->genes);
        uint8_t *copy = malloc(end - at);
        memcpy(copy, in->data + at, end - at);
        if (splice(in, out->gene[other], 0, copy, end - at)) {
            set_word(in, out->owner[other], word_at(in, out->owner[other]) + 1, 4);
            set_word(in, out->gene[other] + 4, draw(in, 4), 4);
        }
        free(copy);
        return;
    }
    case 4: /* rule, part or length */
        set_word(in, at + 4 * draw(in, 3), draw_number(in), 4);
        return;
    default:
        for (i = draw(in, 3); length > 0 && i < 3; i++) {
            set_word(in, at + 12 + 4 * draw(in, length), draw_number(in), 4);
        }
    }
}

static uint64_t draw_double(Input *in) {
    static const uint64_t ends[] = {
        0,
        UINT64_C(0x8000000000000000),
        UINT64_C(0x7ff0000000000000),
        UINT64_C(0xfff0000000000000),
        UINT64_C(0x7ff8000000000000),
        UINT64_C(0x7fefffffffffffff),
        UINT64_C(0xffefffffffffffff),
        1,
    };
    return ends[draw(in, 8)];
}

/* Of an individual that learns: its score, or a rate. */
static void change_learned(Input *in, const Outline *out) {
    size_t at = out->learned[draw(in, out->learners)];
    uint32_t rates = word_at(in, at + 13);
    switch (draw(in, 6)) {
    case 0:
        set_word(in, at, draw(in, 4), 1);
        return;
    case 1:
        set_word(in, at + 1, draw_double(in), 8);
        return;
    case 2:
        set_word(in, at + 9, draw_number(in), 4);
        return;
    case 3: /* no rates, or one less */
        rates = rates > 0 && draw(in, 2) ? 1 : rates;
        if (splice(in, at + 17, 16 * (size_t)rates, NULL, 0)) {
            set_word(in, at + 13, word_at(in, at + 13) - rates, 4);
        }
        return;
    default:
        if (rates > 0) {
            set_word(in, at + 17 + 8 * draw(in, 2 * (size_t)rates), draw_double(in), 8);
        }
    }
}

static void change_text(Input *in, const Outline *out) {
    size_t at = out->texts + 29 * draw(in, (out->texts_end - out->texts) / 29);
    switch (draw(in, 4)) {
    case 0:
        set_word(in, at + 16, draw_double(in), 8);
        return;
    case 1:
        set_word(in, at + 24, draw(in, 4), 1);
        return;
    case 2:
        set_word(in, at + 25, draw_number(in), 4);
        return;
    default:
        set_word(in, at + 8 * draw(in, 2), draw_number(in), 8);
    }
}

/* A champion's text, or a place for one. */
static void change_champion(Input *in, const Outline *out) {
    size_t at = out->texts_end, chosen = 0, seen = 0, length, room;
    uint8_t text[4096];
    while (at + 4 <= in->size) {
        length = word_at(in, at);
        if (length > 0 && length + 12 <= in->size - at && draw(in, ++seen) == 0) {
            chosen = at;
        }
        at += length > 0 ? 12 + length : 4;
    }
    length = chosen > 0 ? word_at(in, chosen) : 0;
    if (length == 0 || length > sizeof text / 2) {
        return;
    }
    memcpy(text, in->data + chosen + 12, length);
    room = LLVMFuzzerMutate(text, length, sizeof text);
    if (splice(in, chosen + 12, length, text, room)) {
        set_word(in, chosen, room, 4);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed) {
    static Outline out;
    Input in = {data, size, most, seed};
    uint32_t times, kind = draw(&in, 16);
    if (kind == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    for (times = 1 + draw(&in, 4); times > 0; times--) {
        outline(&in, &out);
        kind = draw(&in, 16);
        if (kind < 10 && out.genes > 0) {
            change_gene(&in, &out);
        } else if (kind < 14 && out.learners > 0) {
            change_learned(&in, &out);
        } else if (kind < 12 && out.texts_end > out.texts) {
            change_text(&in, &out);
        } else if (kind < 15 && out.texts_end > out.texts) {
            change_champion(&in, &out);
        } else if (in.size >= sizeof MAGIC + 40 && in.data[0] == MAGIC[0]) {
            set_word(&in, sizeof MAGIC + 8 * draw(&in, 5), draw_number(&in), 8);
        } else if (in.size >= 12) { /* what stands behind a migrant's genotype */
            (void)LLVMFuzzerMutate(in.data + in.size - 12, 12, 12);
        }
    }
    return in.size;
}
