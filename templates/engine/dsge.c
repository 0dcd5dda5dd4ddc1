/* Growth, mutation and crossover: dsgec/genome/dsge.py. */

/* The text of a code or alternative that is a leaf, and its cost: 0 where it is none. */
static int find_leaf(int32_t rule, int32_t choice, char *name, const char **text, int32_t *length,
                     int32_t *cost, int32_t *kind) {
    const Production *production;
    if (choice >= rules[rule].productions) {
        *text = name;
        *length = (int32_t)write_neuron(name, choice);
        *cost = 1 + *length;
        *kind = A_NAME;
        return 1;
    }
    production = &productions[rules[rule].first_production + choice];
    *text = production->head;
    *length = production->head_length;
    *cost = production->cost;
    *kind = production->kind;
    return production->leaf;
}

/* Where one leaf took another's place, the rest of the text stays: put it in; 0 where the mapping
 * must be done again. The kinds of texts that `cut` cannot tell apart leave the layers as well. */
static int patch(Mapping *map, const Choice *choice, int32_t before, int32_t after,
                 int64_t max_size, Text *text) {
    char old_name[LONGEST_NAME], new_name[LONGEST_NAME];
    const char *old_text, *new_text;
    int32_t rule = choice->slot < RULES ? choice->slot : FEATURES;
    int32_t old_length, new_length, old_cost, new_cost, old_kind, new_kind;
    size_t tail;
    if (!find_leaf(rule, before, old_name, &old_text, &old_length, &old_cost, &old_kind) ||
        !find_leaf(rule, after, new_name, &new_text, &new_length, &new_cost, &new_kind) ||
        (LAYERED && (old_kind != new_kind || old_kind == ANY_TEXT)) ||
        map->size - old_cost + new_cost > max_size ||
        !RESERVE(text->data, text->capacity, text->length + (size_t)new_length)) {
        return 0;
    }
    tail = (size_t)choice->offset + (size_t)old_length;
    memmove(text->data + choice->offset + new_length, text->data + tail, text->length - tail);
    memcpy(text->data + choice->offset, new_text, (size_t)new_length);
    text->length = text->length - (size_t)old_length + (size_t)new_length;
    return 1;
}

/* What `room_of` was made of. */
static Reader reader_of(int32_t room, int all) {
    Reader reader = {(-1 - room) / 2, (-1 - room) % 2, all};
    return reader;
}

/* One integer that was read, replaced by another that is allowed in its place; then the text. */
static int mutate(Mapping *map, Stream *random, int64_t max_size, Text *text) {
    const Choice *choice;
    Slot *slot;
    int32_t current, other;
    if (map->choice_count == 0) {
        return OK;
    }
    choice = &map->choices[below(random, (int32_t)map->choice_count)];
    slot = &map->slots.items[choice->slot];
    current = slot->values[choice->index];
    if (choice->room < 0) {
        Sources reachable = sources(&map->widths, reader_of(choice->room, map->all));
        other = draw_source(&reachable, &map->widths, current, random);
    } else {
        other = draw_other(&rooms[choice->room], current, random);
    }
    if (!put_value(slot, choice->index, other)) {
        return NO_MEMORY;
    }
    if (patch(map, choice, current, other, max_size, text)) {
        return OK;
    }
    return express(map, random, max_size, text);
}

static int32_t count_common(const Genotype *mother, const Genotype *father) {
    int32_t m = 0, f = 0, common = 0;
    while (m < mother->count && f < father->count) {
        int order = compare_genes(&mother->genes[m], &father->genes[f]);
        common += order == 0;
        m += order <= 0;
        f += order >= 0;
    }
    return common;
}

/* The number of the first of the common genes that are exchanged. */
typedef int32_t Exchange;
static const Exchange NOTHING_EXCHANGED = INT32_MAX;

static Exchange crossover(const Genotype *mother, const Genotype *father, Stream *random) {
    int32_t common = count_common(mother, father);
    return common < 2 ? common : 1 + below(random, common - 1);
}

/* Load the genes of `own` but, from the common one number `exchanged` on, those of `other`. */
static int load_child(Slots *slots, const Genotype *own, const Genotype *other, Exchange exchanged) {
    int32_t o = 0, i, common = 0;
    clear_slots(slots);
    for (i = 0; i < own->count; i++) {
        const Gene *gene = &own->genes[i];
        int order = -1;
        while (o < other->count && (order = compare_genes(gene, &other->genes[o])) > 0) {
            o++;
        }
        if (o < other->count && order == 0 && common++ >= exchanged) {
            if (!load_gene(slots, other, &other->genes[o])) {
                return 0;
            }
        } else if (!load_gene(slots, own, gene)) {
            return 0;
        }
    }
    return 1;
}

/* The slots of a new individual: empty, so the mapping draws everything. */
static int grow(Mapping *map, Stream *random) {
    (void)random;
    clear_slots(&map->slots);
    return OK;
}

/* What the slots hold to a text: mended, perhaps mutated, mended again. */
static int vary(Mapping *map, Stream *random, double mutation, int64_t max_size, Text *text) {
    int error = express(map, random, max_size, text);
    if (error == OK && chance(random, mutation)) {
        error = mutate(map, random, max_size, text);
    }
    return error;
}

static int is_gene(uint64_t rule, uint64_t part) {
    return rule < RULES && (part == 0 || (int64_t)rule == FEATURES) && part <= INT32_MAX / STRIDE;
}

/* Whether a genotype has all that the mapping takes for granted: it mends what is not as it should
 * be. */
static int is_whole(const Mapping *map, const Genotype *genotype) {
    (void)map;
    (void)genotype;
    return 1;
}
