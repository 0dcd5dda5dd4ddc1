/* Map an edited tree to an individual without slots if nothing has to be drawn for it: the same as
 * `gather` and `express`. */
#include "individual.c"
#include "neurons.c"
#include "variant.h"
#if TREES && !defined(DSGEC_MAP_TREES_C)
#define DSGEC_MAP_TREES_C

enum { NEEDS_REPAIR = -1 }; /* `gather` and `express` must map it */

static inline void note_weight(Individual *child, const TreeNode *node, int32_t *counts,
                               ptrdiff_t offset, int32_t length) {
    Weight *weight = &child->weights[child->weight_count++];
    weight->rule = node->rule;
    weight->index = counts[node->rule]++;
    weight->rank = node->choice;
    weight->offset = (int32_t)offset;
    weight->length = length;
}

/* Write the phenotype and the weights of a tree. Returns OK, also with a fault, NO_MEMORY or
 * NEEDS_REPAIR. */
static int write_tree(Mapper *map, const Tree *tree, int64_t max_size, Individual *child) {
    const Production *production = &productions[grammar.top];
    const int32_t *next = symbols + production->first_symbol, *end = next + production->symbols;
    const TreeNode *node = tree->items, *last = node + tree->count;
    Buffer *text = &child->phenotype;
    int32_t counts[MOST_RULES] = {0}, depth = 0;
    int64_t size = 0;
    size_t height = 0;
    char *out;
    text->length = 0;
    child->weight_count = 0;
    child->fault = NO_FAULT;
    if (!RESERVE(child->weights, child->weights_capacity, tree->count) ||
        !RESERVE(map->frames, map->frames_capacity, tree->count) ||
        !RESERVE(text->data, text->capacity, production->most)) {
        return NO_MEMORY;
    }
    out = text->data;
    for (;;) {
        const Production *chosen = NULL;
        int32_t symbol = 0, child_depth = 0;
        while (next != end && chosen == NULL) {
            const Rule *rule;
            symbol = *next++;
            if (symbol < 0) {
                const Piece *piece = &pieces[-1 - symbol];
                out = add_text(out, piece->head, piece->text, piece->length);
                continue;
            }
            rule = &rules[symbol >> RULE_SHIFT];
            child_depth = symbol & DEEPER ? depth + 1 : 0;
            if (node == last || (uint32_t)node->choice >= (uint32_t)rule->productions ||
                (!(symbol & PLAIN) && opens[rule->first_production + node->choice] >
                                          level_of(rule, child_depth))) {
                return NEEDS_REPAIR;
            }
            chosen = &productions[rule->first_production + node->choice];
            memcpy(out, chosen->head, HEAD);
            if (makes_weights(node->rule)) {
                note_weight(child, node, counts, out - text->data, chosen->head_length);
            }
            out += chosen->head_length;
            size += chosen->cost;
            if (size > max_size) {
                child->fault = TOO_LARGE;
                child->weight_count = 0;
                text->length = 0;
                return OK;
            }
            node++;
            /* The symbols of a single rule follow it. */
            chosen = chosen->leaf || (symbol & (PLAIN | FLAT)) == PLAIN ? NULL : chosen;
        }
        if (chosen != NULL) {
            if (next != end) {
                map->frames[height].production = production;
                map->frames[height].next = next;
                map->frames[height++].depth = depth;
            }
            production = chosen;
            next = symbols + production->first_symbol;
            depth = child_depth;
        } else if (height > 0) {
            height--;
            production = map->frames[height].production;
            next = map->frames[height].next;
            depth = map->frames[height].depth;
        } else {
            break;
        }
        end = symbols + production->first_symbol + production->symbols;
        text->length = (size_t)(out - text->data);
        if (!RESERVE(text->data, text->capacity, text->length + (size_t)production->most)) {
            return NO_MEMORY;
        }
        out = text->data + text->length;
    }
    map->size = size;
    text->length = (size_t)(out - text->data);
    return node == last ? OK : NEEDS_REPAIR;
}

/* Keep the rates of the remaining weights; the tree still has all its nodes. */
static void keep_rates(const Merger *m, const Tree *tree, Rates *rates) {
    int32_t i, number = 0, left = 0;
    for (i = 0; i < tree->count && rates->count > 0; i++) {
        if (makes_weights(tree->items[i].rule)) {
            if (!m->places[i].removed) {
                rates->items[left++] = rates->items[number];
            }
            number++;
        }
    }
    rates->count = left;
}

/* Merge the terms of the edited tree, which is the child's; return whether any were merged. */
static int merge_edited(Thread *own, Individual *child) {
    Tree *tree = &own->trees.edited;
    int any;
    set_ends(tree, 0);
    any = find_repeats(&own->merger, tree);
    own->trees.out_of_memory |= own->merger.out_of_memory;
    if (any) {
        keep_rates(&own->merger, tree, &child->rates);
        drop_removed(&own->merger, tree);
    }
    return any;
}

/* Merge the terms of a child that was mapped from the slots. */
static void merge_mapped(const dsgec_engine *e, Thread *own, Individual *child, Stream *random) {
    Trees *t = &own->trees;
    Mapper *map = &own->mapping;
    if (!grammar.has_sums || child->error != OK || child->fault) {
        return;
    }
    t->out_of_memory = 0;
    plant(t, &map->slots, &t->edited, 0, 0);
    if (!t->out_of_memory && merge_edited(own, child)) {
        child->error = gather(t, &map->slots);
        if (child->error == OK) {
            map_slots(e, map, child, random);
        }
    }
    if (t->out_of_memory) {
        child->error = NO_MEMORY;
    }
}

/* Store the edited tree in an individual; return 0 without memory. */
static int keep_edited(Thread *own, Individual *child) {
    Tree *tree = &own->trees.edited;
    memset(tree->counts, 0, sizeof tree->counts);
    count_nodes(tree, tree->items, tree->count, 1);
    child->tree.count = 0;
    if (!KEEPS_TREES || child->fault) {
        return store_tree(&child->genotype, tree);
    }
    tree->size = own->mapping.size;
    swap_trees(&child->tree, tree);
    child->genotype.count = 0; /* until `have_genotype` */
    return 1;
}

/* Map the edited tree to an individual, drawing what is missing. */
static int map_edited_tree(const dsgec_engine *e, Thread *own, Individual *child, Stream *random) {
    Mapper *map = &own->mapping;
    const Tree *tree = &own->trees.edited;
    int error = NEEDS_REPAIR, is_merged = 0;
    rename_neurons(&own->trees);
    if (own->trees.out_of_memory) {
        return NO_MEMORY;
    }
    if (!DYNAMIC) {
        TIMED(mapping, error = write_tree(map, tree, e->settings.max_size, child));
        if (grammar.has_sums && error == OK && !child->fault && merge_edited(own, child)) {
            is_merged = 1;
            TIMED(mapping, error = write_tree(map, tree, e->settings.max_size, child));
        }
        if (own->trees.out_of_memory) {
            return NO_MEMORY;
        }
    }
    if (error == NEEDS_REPAIR) {
        child->error = gather(&own->trees, &map->slots);
        if (child->error == OK) {
            map_slots(e, map, child, random);
        }
        if (!is_merged) {
            merge_mapped(e, own, child, random);
        }
        return child->error;
    }
    child->learns = 1;
    child->rates.count = child->fault ? 0 : child->rates.count;
    if (!LEARNING) { /* otherwise scores are not remembered */
        child->hash = hash_text(child->phenotype.data, child->phenotype.length);
    }
    return error == OK && !keep_edited(own, child) ? NO_MEMORY : error;
}
#endif
