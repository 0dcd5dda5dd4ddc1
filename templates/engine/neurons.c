/* References that follow their neurons: dsgec/grammar/genome/neurons.py. */
#include "tree.c"
#include "variant.h"
#if TREES && !defined(DSGEC_NEURONS_C)
#define DSGEC_NEURONS_C

static Visit visit_to(int32_t node, int32_t gap) {
    Visit visit;
    visit.node = node;
    visit.gap = gap >> 1;
    visit.hidden = gap & 1;
    return visit;
}

/* Push visits to the children of a node and to the separators after the last; the first is on
 * top. */
static void add_visits(Trees *t, const Tree *tree, int32_t at, size_t *count) {
    const Branch *branch = branch_of(tree->items[at].rule, tree->items[at].choice);
    const int32_t *gap = gaps + branch->first_child + (branch - branches);
    size_t last = *count + (size_t)branch->children;
    int32_t k, child = at + 1;
    if (!RESERVE(t->visits, t->visits_capacity, last + 1)) {
        t->out_of_memory = 1;
        return;
    }
    t->visits[*count] = visit_to(NO_NODE, gap[branch->children]);
    for (k = 0; k < branch->children; k++) {
        t->visits[last - (size_t)k] = visit_to(child, gap[k]);
        child = tree->items[child].end;
    }
    *count = last + 1;
}

/* Add a neuron without an anchor. */
static void add_neuron(Trees *t, Anchors *anchors) {
    if (!RESERVE(anchors->items, anchors->items_capacity, anchors->count + 1)) {
        t->out_of_memory = 1;
        return;
    }
    anchors->items[anchors->count++] = NO_NODE;
}

/* Add the neurons of the layer at a node. */
static void add_layer(Trees *t, const Tree *tree, int32_t at, Anchors *anchors) {
    size_t count = 1;
    if (!RESERVE(anchors->first, anchors->first_capacity, anchors->layers + 2) ||
        !RESERVE(t->visits, t->visits_capacity, 1)) {
        t->out_of_memory = 1;
        return;
    }
    t->visits[0] = visit_to(at, 0);
    add_neuron(t, anchors);
    while (count > 0 && !t->out_of_memory) {
        const Visit visit = t->visits[--count];
        int32_t gap;
        for (gap = visit.gap; gap > 0 && !t->out_of_memory; gap--) {
            add_neuron(t, anchors);
        }
        if (visit.node == NO_NODE || t->out_of_memory) {
            continue;
        }
        if (visit.hidden || within_one[tree->items[visit.node].rule]) {
            int32_t *anchor = &anchors->items[anchors->count - 1];
            *anchor = *anchor == NO_NODE ? visit.node : *anchor;
        } else {
            add_visits(t, tree, visit.node, &count);
        }
    }
    anchors->first[++anchors->layers] = anchors->count;
}

static void find_anchors(Trees *t, const Tree *tree, Anchors *anchors) {
    int32_t at = 0;
    anchors->count = anchors->layers = 0;
    if (!RESERVE(anchors->first, anchors->first_capacity, 1)) {
        t->out_of_memory = 1;
        return;
    }
    anchors->first[0] = 0;
    while (at < tree->count && !t->out_of_memory) {
        const TreeNode *node = &tree->items[at];
        if (node->rule == grammar.layer) {
            add_layer(t, tree, at, anchors);
        }
        at = node->rule == grammar.layer || node->rule == grammar.output_layer ? node->end : at + 1;
    }
}

/* Return the anchor of the neuron with this code, or -1. */
static int32_t anchor_of(const Anchors *anchors, int32_t code) {
    int32_t layer = (code - grammar.inputs) / STRIDE, place = (code - grammar.inputs) % STRIDE;
    if (code < grammar.inputs || layer >= anchors->layers ||
        place >= anchors->first[layer + 1] - anchors->first[layer]) {
        return NO_NODE;
    }
    return anchors->items[anchors->first[layer] + place];
}

/* Store the codes of the neurons of the edited tree by the origins of their anchors in the
 * mother. */
static void find_codes(Trees *t) {
    const Anchors *after = &t->after;
    int32_t i, layer, layers = after->layers, most = (INT32_MAX - grammar.inputs) / STRIDE - 1;
    if (!RESERVE(t->codes, t->codes_capacity, t->mother.count)) {
        t->out_of_memory = 1;
        return;
    }
    for (i = 0; i < t->mother.count; i++) {
        t->codes[i] = NO_NODE;
    }
    for (layer = 0; layer < layers && layer < most; layer++) {
        int32_t first = after->first[layer], end = after->first[layer + 1];
        end = end - first < STRIDE ? end : first + STRIDE;
        for (i = first; i < end; i++) {
            int32_t anchor = after->items[i];
            int32_t origin = anchor == NO_NODE ? -1 : t->edited.items[anchor].origin;
            if (origin >= 0 && origin < t->mother.count) {
                t->codes[origin] = grammar.inputs + layer * STRIDE + (i - first);
            }
        }
    }
}

/* Make the mother's references in the edited tree refer to the same neurons as before; a reference
 * to a removed neuron is left open. */
static void rename_neurons(Trees *t) {
    int32_t i;
    if (!RENAMES || t->out_of_memory) {
        return;
    }
    set_ends(&t->mother, 0);
    set_ends(&t->edited, 0);
    find_anchors(t, &t->mother, &t->before);
    find_anchors(t, &t->edited, &t->after);
    if (!t->out_of_memory) {
        find_codes(t);
    }
    for (i = 0; i < t->edited.count && !t->out_of_memory; i++) {
        TreeNode *node = &t->edited.items[i];
        if (node->rule == grammar.features && node->origin >= 0 && node->origin < t->mother.count) {
            int32_t anchor = anchor_of(&t->before, node->choice);
            node->choice = anchor == NO_NODE ? node->choice : t->codes[anchor];
        }
    }
}
#endif
