/* Map a genotype to its phenotype: dsgec/grammar/genome/derive.py, and `express` of dsge.py, sge.py
 * and ge.py. */
#ifndef DSGEC_EXPRESS_C
#define DSGEC_EXPRESS_C
#include "connections.c"
#include "genome.c"
#include "growth.c"
#include "layered.c"
#include "pick.c"
#include "plan.c"

enum { OUTSIDE, IN_LAYER, IN_OUTPUT };

/* A production whose symbols from `next` on are still to be expanded, at this depth of its rule. */
typedef struct {
    const Production *production;
    const int32_t *next;
    int32_t depth, ends_layer;
} Frame;

/* An integer that the mapping read and for which there were alternatives. `room` is the entry of
 * `rooms` that it was taken from or, for a connection, encodes its reader (see `room_of`). */
typedef struct {
    int32_t slot, index, room;
    uint32_t offset; /* of what it derived */
} Choice;

/* The working memory of a thread that maps. After `express`, it holds the repaired slots, the
 * choices and the fault. */
typedef struct {
    Slots slots;
    Widths widths;
    Choice *choices;
    size_t choices_capacity, choice_count;
    Frame *frames;
    size_t frames_capacity;
    int64_t size;
    int fault, all; /* why there is no phenotype; whether all layers are connected */
    int32_t codons, wraps, wraps_left; /* of GE */
    const dsgec_engine_settings *settings; /* of PSGE */
    Plan plan;                             /* of an individual of the first generation */
    double *shares;
    size_t shares_capacity;
} Mapper;

static void free_mapper(Mapper *map) {
    free_slots(&map->slots);
    free(map->widths.sizes);
    free(map->widths.before);
    free(map->choices);
    free(map->frames);
    free(map->shares);
    free_plan(&map->plan);
}

static int32_t room_of(Reader reader) {
    return -1 - (2 * reader.layers + reader.output);
}

static size_t write_decimal(char *to, uint32_t number) {
    char digits[10];
    size_t count = 0, i;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (i = 0; i < count; i++) {
        to[i] = digits[count - 1 - i];
    }
    return count;
}

enum { LONGEST_NAME = 24 };

/* Write the name of the hidden neuron with this code and return its length. */
static size_t write_neuron(char *to, int32_t code) {
    uint32_t number = (uint32_t)(code - grammar.inputs);
    char *at = to;
    *at++ = 'h';
    *at++ = '_';
    at += write_decimal(at, number / STRIDE + 1);
    *at++ = '_';
    at += write_decimal(at, number % STRIDE + 1);
    return (size_t)(at - to);
}

/* Return the alternative that the gene of a rule selects at this level, drawing it if it is missing
 * or not allowed; -1 without memory. */
static inline int32_t choose(Slot *slot, const Rule *rule, int32_t level, int32_t index,
                             Stream *random) {
    const Room *room = &rooms[rule->first_room + level];
    int32_t choice = index < slot->length ? slot->values[index] : -1;
    if ((uint32_t)choice >= (uint32_t)rule->productions ||
        opens[rule->first_production + choice] > level) {
        choice = TREES ? grow_choice((int32_t)(rule - rules), level, AT_FIRST, random)
                       : options[room->first_option + below(random, room->options)];
        if (!put_value(slot, index, choice)) {
            return -1;
        }
    }
    return choice;
}

/* Return the code of a connection, drawing it if it is missing or not allowed; -1 without
 * memory. */
static int32_t choose_source(Slot *slot, const Sources *reachable, const Widths *widths,
                             int32_t index, Stream *random) {
    int32_t code = index < slot->length ? slot->values[index] : -1;
    if (!is_source(reachable, widths, code)) {
        code = draw_source(reachable, widths, -1, random);
        if (!put_value(slot, index, code)) {
            return -1;
        }
    }
    return code;
}

static inline int32_t level_of(const Rule *rule, int32_t depth) {
    int32_t level = rule->limit > depth ? rule->limit - depth : 0;
    return level < rule->rooms ? level : rule->rooms - 1;
}

static inline Choice *add_choice(Choice *choice, int32_t slot, int32_t index, int32_t room,
                                 ptrdiff_t offset) {
    choice->slot = slot;
    choice->index = index;
    choice->room = room;
    choice->offset = (uint32_t)offset;
    return choice + 1;
}

/* GE: return the choice of the next codon among `count`, or -1 if there are no more codons. */
static inline int32_t take_codon(Mapper *map, int32_t count) {
    Slot *codons = &map->slots.items[0];
    if (codons->read == codons->length) {
        if (map->wraps_left == 0) {
            return -1;
        }
        map->wraps_left--;
        codons->read = 0;
    }
    return codons->values[codons->read++] % count;
}

/* Append a terminal; a short one is copied without testing its length. */
static inline char *add_text(char *to, const char *head, const char *text, int32_t length) {
    if (length <= HEAD) {
        memcpy(to, head, HEAD);
    } else {
        memcpy(to, text, (size_t)length);
    }
    return to + length;
}

static int end_layer(Mapper *map, int place, const char *start, const char *end) {
    size_t neurons;
    if (place != IN_LAYER) {
        return OK;
    }
    cut(start, (size_t)(end - start), NULL, &neurons);
    return add_width(&map->widths, neurons);
}

/* The layer in which `express` is. */
typedef struct {
    Reader reader;
    Sources reachable;
    size_t layer_start;
    int place;
} Place;

static void enter_layer(Mapper *map, Place *in, int32_t rule, size_t start) {
    in->place = rule == grammar.layer ? IN_LAYER : IN_OUTPUT;
    in->layer_start = start;
    in->reader.layers = map->widths.count;
    in->reader.output = in->place == IN_OUTPUT;
    in->reader.all = map->all;
    in->reachable = sources(&map->widths, in->reader);
}

/* Map the genotype in the slots to a phenotype; missing and invalid integers are drawn. The inner
 * loop expands terminals and the rules that are plain, single or flat (see `symbols`) until a rule
 * needs more. One check of the buffers' sizes suffices for all of these in a production: `most`
 * bytes and `choices` choices. */
static int express(Mapper *map, Stream *random, int64_t max_size, Buffer *text) {
    const Production *production = &productions[grammar.top];
    const int32_t *next = symbols + production->first_symbol, *end = next + production->symbols;
    const int32_t *after_flat = NULL, *end_after_flat = NULL;
    int32_t depth = 0, ends_layer = 0, symbol;
    int64_t size = 0;
    size_t height = 0;
    char *begin, *out, *limit;
    Choice *made, *made_limit;
    Slot *slots;
    Place in;
    memset(&in, 0, sizeof in);
    map->widths.count = 0;
    map->fault = NO_FAULT;
    map->wraps_left = map->wraps;
    read_again(&map->slots);
    if (!have_slots(&map->slots, BY_DEPTH ? grammar.depths : MORE_GENES) ||
        !RESERVE(text->data, text->capacity, 1) ||
        !RESERVE(map->choices, map->choices_capacity, 1)) {
        return NO_MEMORY;
    }
    slots = map->slots.items;
    begin = out = text->data;
    limit = begin + text->capacity;
    made = map->choices;
    made_limit = made + map->choices_capacity;
    for (;;) {
        const Production *child;
        const Rule *rule;
        int32_t index, choice, number, child_depth, opens_layer = 0;
        if (limit - out < production->most || made_limit - made <= production->choices) {
            size_t length = (size_t)(out - begin), count = (size_t)(made - map->choices);
            if (!RESERVE(text->data, text->capacity, length + (size_t)production->most) ||
                !RESERVE(map->choices, map->choices_capacity,
                         count + (size_t)production->choices + 1)) {
                return NO_MEMORY;
            }
            begin = text->data;
            out = begin + length;
            limit = begin + text->capacity;
            made = map->choices + count;
            made_limit = map->choices + map->choices_capacity;
        }
        for (;;) {
            const Production *chosen;
            Slot *slot;
            if (next == end) {
                symbol = -1;
                if (after_flat == NULL) {
                    break;
                }
                next = after_flat;
                end = end_after_flat;
                after_flat = NULL;
                continue;
            }
            symbol = *next++;
            if (symbol < 0) {
                const Piece *piece = &pieces[-1 - symbol];
                out = add_text(out, piece->head, piece->text, piece->length);
                continue;
            }
            if ((symbol & PLAIN) == 0) {
                break;
            }
            number = symbol >> RULE_SHIFT;
            rule = &rules[number];
            if (BY_CODON) {
                choice = take_codon(map, rule->productions);
                if (choice < 0) {
                    goto exhausted;
                }
                if (LEARNING && makes_weights(number)) {
                    index = slots[0].read - 1;
                    made = add_choice(made, number, index, rule->first_room, out - begin);
                }
            } else if (PROBABILISTIC) {
                index = slots[number].read++;
                choice = choose_by_codon(slots, number, 0, index, random);
                if (choice < 0) {
                    return NO_MEMORY;
                }
                if (rule->productions > 1) {
                    made = add_choice(made, number, index, rule->first_room, out - begin);
                }
            } else {
                slot = &slots[number];
                index = slot->read++;
                choice = index < slot->length ? slot->values[index] : -1;
                if ((uint32_t)choice >= (uint32_t)rule->productions) {
                    choice = TREES ? grow_choice(number, 0, AT_FIRST, random)
                                   : below(random, rule->productions);
                    if (!put_value(slot, index, choice)) {
                        return NO_MEMORY;
                    }
                }
                if (rule->productions > 1) {
                    made = add_choice(made, number, index, rule->first_room, out - begin);
                }
            }
            chosen = &productions[rule->first_production + choice];
            memcpy(out, chosen->head, HEAD);
            out += chosen->head_length;
            size += chosen->cost;
            if ((symbol & FLAT) && !chosen->leaf) {
                after_flat = next;
                end_after_flat = end;
                next = symbols + chosen->first_symbol;
                end = next + chosen->symbols;
            }
            if (size > max_size) {
                goto too_large;
            }
        }
        if (symbol < 0) { /* this production is complete */
            int code = ends_layer
                           ? end_layer(map, in.place, begin + in.layer_start, out)
                           : OK;
            if (code != OK) {
                return code;
            }
            in.place = ends_layer ? OUTSIDE : in.place;
            if (height == 0) {
                break;
            }
            height--;
            production = map->frames[height].production;
            next = map->frames[height].next;
            end = symbols + production->first_symbol + production->symbols;
            depth = map->frames[height].depth;
            ends_layer = map->frames[height].ends_layer;
            continue;
        }
        number = symbol >> RULE_SHIFT;
        child_depth = symbol & DEEPER ? depth + 1 : 0;
        rule = &rules[number];
        if (in.place == OUTSIDE && (number == grammar.layer || number == grammar.output_layer)) {
            enter_layer(map, &in, number, (size_t)(out - begin));
            opens_layer = 1;
        }
        if (number == grammar.features && in.place != OUTSIDE) {
            int32_t gene = grammar.rules + in.reader.layers;
            if (!have_slots(&map->slots, in.reader.layers + 1)) {
                return NO_MEMORY;
            }
            slots = map->slots.items;
            index = slots[gene].read++;
            choice = choose_source(&slots[gene], &in.reachable, &map->widths, index, random);
            if (in.reachable.size > 1) {
                made = add_choice(made, gene, index, room_of(in.reader), out - begin);
            }
        } else if (BY_CODON) {
            const Room *room = &rooms[rule->first_room + level_of(rule, child_depth)];
            choice = take_codon(map, room->options);
            if (choice < 0) {
                goto exhausted;
            }
            choice = options[room->first_option + choice];
        } else {
            int32_t level = level_of(rule, child_depth);
            int32_t gene = find_slot(number, BY_DEPTH ? child_depth : 0);
            index = slots[gene].read++;
            choice = PROBABILISTIC ? choose_by_codon(slots, number, level, index, random)
                                   : choose(&slots[gene], rule, level, index, random);
            if (PROBABILISTIC ? rule->productions > 1
                              : rooms[rule->first_room + level].options > 1) {
                made = add_choice(made, gene, index, rule->first_room + level, out - begin);
            }
        }
        if (choice < 0) {
            return NO_MEMORY;
        }
        if (choice >= rule->productions) {
            size_t length = write_neuron(out, choice);
            out += length;
            size += 1 + (int64_t)length;
            child = &productions[grammar.top + 1];
        } else {
            child = &productions[rule->first_production + choice];
            memcpy(out, child->head, HEAD);
            out += child->head_length;
            size += child->cost;
            child = child->leaf ? &productions[grammar.top + 1] : child;
        }
        if (size > max_size) {
            goto too_large;
        }
        if (child->symbols == 0 && !opens_layer) {
            continue;
        }
        if (next != end || ends_layer) { /* the production has more symbols */
            if (!RESERVE(map->frames, map->frames_capacity, height + 1)) {
                return NO_MEMORY;
            }
            map->frames[height].production = production;
            map->frames[height].next = next;
            map->frames[height].depth = depth;
            map->frames[height].ends_layer = ends_layer;
            height++;
        }
        production = child;
        next = symbols + production->first_symbol;
        end = next + production->symbols;
        depth = child_depth;
        ends_layer = opens_layer;
    }
    map->size = size;
    map->choice_count = (size_t)(made - map->choices);
    text->length = (size_t)(out - begin);
    return OK;
exhausted:
    map->fault = EXHAUSTED;
    goto no_text;
too_large:
    map->fault = TOO_LARGE;
no_text:
    map->size = size;
    map->choice_count = 0;
    text->length = 0;
    return OK;
}
#endif
