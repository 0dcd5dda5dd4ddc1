/* The dynamic rules, which list what a neuron can be connected to:
 * dsgec/grammar/genome/genotype.py. */
#ifndef DSGEC_CONNECTIONS_C
#define DSGEC_CONNECTIONS_C
#include "engine.h"
#include "grammar.h"
#include "memory.h"
#include "random.h"

/* The sizes of the hidden layers, limited to STRIDE, and their cumulative sums. */
typedef struct {
    int32_t *sizes, *before;
    size_t sizes_capacity, before_capacity;
    int32_t count;
} Widths;

/* The layer that reads: the one after the first `layers`, and whether it is the output layer. */
typedef struct {
    int32_t layers;
    int output, all;
} Reader;

/* A group of codes: features, then the neurons of the layers from `first` up to `end`. */
typedef struct {
    int32_t features, first, end, size;
} Group;

/* The codes that a connection may have: one group, or two with equal probability. */
typedef struct {
    int32_t groups, size;
    Group group[2];
} Sources;

static int add_width(Widths *widths, size_t neurons) {
    int32_t n = widths->count;
    if (n >= (INT32_MAX - grammar.inputs) / STRIDE - 1) {
        return TOO_MANY_LAYERS;
    }
    if (!RESERVE(widths->sizes, widths->sizes_capacity, n + 1) ||
        !RESERVE(widths->before, widths->before_capacity, n + 2)) {
        return NO_MEMORY;
    }
    widths->before[0] = 0;
    widths->sizes[n] = neurons < STRIDE ? (int32_t)neurons : STRIDE;
    widths->before[n + 1] = widths->before[n] + widths->sizes[n];
    widths->count = n + 1;
    return OK;
}

static void add_group(Sources *s, const Widths *widths, int32_t features, int32_t first,
                      int32_t end) {
    Group *group = &s->group[s->groups];
    group->features = features;
    group->first = first;
    group->end = end;
    group->size = features + (end > first ? widths->before[end] - widths->before[first] : 0);
    s->size += group->size;
    s->groups += group->size > 0;
}

static Sources sources(const Widths *widths, Reader reader) {
    Sources s;
    memset(&s, 0, sizeof s);
    if (reader.layers == 0) {
        add_group(&s, widths, grammar.inputs, 0, 0);
        return s;
    }
    add_group(&s, widths, 0, reader.layers - 1, reader.layers);
    if (reader.all) {
        add_group(&s, widths, reader.output ? 0 : grammar.inputs, 0, reader.layers - 1);
    }
    return s;
}

static int32_t code_at(const Group *group, const Widths *widths, int32_t index) {
    int32_t low = group->first, high = group->end;
    if (index < group->features) {
        return index;
    }
    index += widths->before[low] - group->features;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (widths->before[middle] <= index) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return grammar.inputs + low * STRIDE + (index - widths->before[low]);
}

/* Return the index of `code` in the group, or -1. */
static int32_t index_of(const Group *group, const Widths *widths, int32_t code) {
    int32_t layer, neuron;
    if (code < grammar.inputs) {
        return code >= 0 && code < group->features ? code : -1;
    }
    layer = (code - grammar.inputs) / STRIDE;
    neuron = (code - grammar.inputs) % STRIDE;
    if (layer < group->first || layer >= group->end || neuron >= widths->sizes[layer]) {
        return -1;
    }
    return group->features + widths->before[layer] - widths->before[group->first] + neuron;
}

static int is_source(const Sources *s, const Widths *widths, int32_t code) {
    int32_t g;
    for (g = 0; g < s->groups; g++) {
        if (index_of(&s->group[g], widths, code) >= 0) {
            return 1;
        }
    }
    return 0;
}

/* Draw a group, then one of its codes except `without`, which may be -1. */
static int32_t draw_source(const Sources *s, const Widths *widths, int32_t without,
                           Stream *random) {
    int32_t kept[2] = {0, 0}, left_out[2] = {-1, -1}, groups = 0, g, index, size;
    for (g = 0; g < s->groups; g++) {
        int32_t place = index_of(&s->group[g], widths, without);
        if (s->group[g].size > (place >= 0)) {
            left_out[groups] = place;
            kept[groups++] = g;
        }
    }
    g = below(random, groups);
    size = s->group[kept[g]].size - (left_out[g] >= 0);
    index = below(random, size);
    index += left_out[g] >= 0 && index >= left_out[g];
    return code_at(&s->group[kept[g]], widths, index);
}
#endif
