/* Mutation of a choice that the mapping read, for DSGE and SGE:
 * dsgec/grammar/genome/genotype.py. */
#include "express.c"
#include "variant.h"
#if !TREES && !defined(DSGEC_CHOICES_C)
#define DSGEC_CHOICES_C

/* Draw an alternative that is not the current one. */
static int32_t draw_other(const Room *room, int32_t current, Stream *random) {
    const int32_t *allowed = options + room->first_option;
    int32_t index = below(random, room->options - 1), i;
    for (i = 0; i <= index && allowed[i] != current; i++) {
    }
    return allowed[index + (i <= index)];
}

/* Find the terminal of an alternative or a neuron's code, and its cost; return 0 if it is not a
 * leaf. */
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

/* If a leaf replaced a leaf, replace only its part of the phenotype; return 0 if the genotype must
 * be mapped again. Leaves of kinds that `cut` treats alike do not change the layers either. */
static int patch(Mapper *map, const Choice *choice, int32_t before, int32_t after,
                 int64_t max_size, Buffer *text) {
    char old_name[LONGEST_NAME], new_name[LONGEST_NAME];
    const char *old_text, *new_text;
    int32_t rule = choice->slot < grammar.rules ? choice->slot : grammar.features;
    int32_t old_length, new_length, old_cost, new_cost, old_kind, new_kind;
    size_t tail;
    if (LEARNING || (BY_DEPTH && choice->slot >= grammar.rules)) {
        return 0; /* the offsets of weights would change; recursive symbols are seldom leaves */
    }
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

/* Decode what `room_of` encodes. */
static Reader reader_of(int32_t room, int all) {
    Reader reader = {(-1 - room) / 2, (-1 - room) % 2, all};
    return reader;
}

/* Replace one integer that the mapping read by another allowed one, and map again. */
static int mutate(Mapper *map, Stream *random, int64_t max_size, Buffer *text) {
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

/* Map the slots, mutate them with the given probability, and map them again. */
static int vary(Mapper *map, Stream *random, double mutation, int64_t max_size, Buffer *text) {
    int error = express(map, random, max_size, text);
    if (error == OK && chance(random, mutation)) {
        error = mutate(map, random, max_size, text);
    }
    return error;
}
#endif
