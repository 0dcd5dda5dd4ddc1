/* Plan the derivation trees of a first generation: dsgec/grammar/genome/plan.py. */
#ifndef DSGEC_PLAN_C
#define DSGEC_PLAN_C
#include "engine.h"
#include "growth.c"
#include "memory.h"

enum { RANDOM_TREES, RAMPED_TREES, PI_TREES, MOST_NODES = 10000, OPEN = -1 };

/* A symbol at a depth of its recursion, the alternative that it takes, and its children. */
typedef struct {
    int32_t rule, depth, choice, first_child, children;
} PlannedNode;

/* The nodes of a tree in the order of their expansion, a list of those that are left to expand or
 * to visit, and the nodes from left to right. */
typedef struct {
    PlannedNode *nodes, *planned;
    int32_t *todo;
    size_t nodes_capacity, planned_capacity, todo_capacity;
    int32_t count, left, length;
} Plan;

static void free_plan(Plan *plan) {
    free(plan->nodes);
    free(plan->planned);
    free(plan->todo);
}

/* Whether a plan leaves the choices of a rule to the mapping. */
static int is_left_open(int32_t rule) {
    return (LEARNING && makes_weights(rule)) || (DYNAMIC && rule == grammar.features);
}

/* Return the alternatives that are allowed with so many more levels, and their number. */
static const int32_t *find_options(int32_t rule, int32_t room, int32_t *count) {
    int32_t last = rules[rule].rooms - 1;
    const Room *own = &rooms[rules[rule].first_room + (room < last ? room : last)];
    *count = own->options;
    return options + own->first_option;
}

/* Draw an alternative; only deeper ones if there are any and `wants_deeper`. */
static int32_t draw_alternative(int32_t rule, int32_t room, int wants_deeper, Stream *random) {
    const Branch *first = branches + rules[rule].first_production;
    int32_t count, deeper = 0, i, index;
    const int32_t *allowed = find_options(rule, room, &count);
    for (i = 0; i < count; i++) {
        deeper += first[allowed[i]].deeper;
    }
    if (!wants_deeper || deeper == 0) {
        return allowed[below(random, count)];
    }
    index = below(random, deeper);
    for (i = 0; !first[allowed[i]].deeper || index-- > 0; i++) {
    }
    return allowed[i];
}

/* Append the children of a node; return 0 without memory. */
static int add_children(Plan *plan, int32_t at) {
    const PlannedNode own = plan->nodes[at];
    const Branch *branch = &branches[rules[own.rule].first_production + own.choice];
    int32_t i;
    if (!RESERVE(plan->nodes, plan->nodes_capacity, plan->count + branch->children) ||
        !RESERVE(plan->todo, plan->todo_capacity, plan->left + branch->children)) {
        return 0;
    }
    plan->nodes[at].first_child = plan->count;
    plan->nodes[at].children = branch->children;
    for (i = 0; i < branch->children; i++) {
        int32_t symbol = child_symbols[branch->first_child + i];
        PlannedNode child = {symbol / 2, symbol % 2 ? own.depth + 1 : 0, OPEN, 0, 0};
        plan->nodes[plan->count + i] = child;
        plan->todo[plan->left + i] = plan->count + branch->children - 1 - i;
    }
    plan->count += branch->children;
    plan->left += branch->children;
    return 1;
}

/* List the nodes from left to right, parents before children. */
static int list_nodes(Plan *plan) {
    if (!RESERVE(plan->planned, plan->planned_capacity, plan->count) ||
        !RESERVE(plan->todo, plan->todo_capacity, plan->count)) {
        return 0;
    }
    plan->todo[0] = 0;
    for (plan->left = 1; plan->left > 0;) {
        const PlannedNode *node = &plan->nodes[plan->todo[--plan->left]];
        int32_t i;
        plan->planned[plan->length++] = *node;
        for (i = node->children - 1; i >= 0; i--) {
            plan->todo[plan->left++] = node->first_child + i;
        }
    }
    return 1;
}

/* Return the greatest depth limit of a recursive rule. */
static int32_t find_deepest(void) {
    int32_t r, deepest = 0;
    for (r = 0; r < grammar.rules; r++) {
        deepest = rules[r].rooms > 1 && rules[r].limit > deepest ? rules[r].limit : deepest;
    }
    return deepest;
}

/* Plan the tree of an individual; the plan of a random one is empty. */
static int plan_tree(Plan *plan, int64_t initialisation, int64_t number, Stream *random) {
    const PlannedNode start = {grammar.start, 0, OPEN, 0, 0};
    int is_pi = initialisation == PI_TREES, wants_deeper = is_pi || number % 2 == 1;
    int64_t deepest = find_deepest();
    int64_t ramp = deepest > 0 ? 1 + (is_pi ? number : number / 2) % deepest : 0;
    plan->count = plan->left = plan->length = 0;
    if (initialisation == RANDOM_TREES) {
        return OK;
    }
    if (!RESERVE(plan->nodes, plan->nodes_capacity, 1) ||
        !RESERVE(plan->todo, plan->todo_capacity, 1)) {
        return NO_MEMORY;
    }
    plan->nodes[plan->count++] = start;
    plan->todo[plan->left++] = 0;
    while (plan->left > 0) {
        int32_t at = is_pi ? below(random, plan->left) : plan->left - 1, node = plan->todo[at];
        int32_t rule = plan->nodes[node].rule, depth = plan->nodes[node].depth, room;
        int32_t limit = rules[rule].limit < ramp ? rules[rule].limit : (int32_t)ramp;
        plan->todo[at] = plan->todo[--plan->left];
        if (is_left_open(rule)) {
            continue;
        }
        if (is_pi && rules[rule].rooms > 1 && limit > 0 && limit <= depth) {
            wants_deeper = 0;
        }
        room = limit > depth && plan->count <= MOST_NODES ? limit - depth : 0;
        plan->nodes[node].choice = draw_alternative(rule, room, wants_deeper, random);
        if (!add_children(plan, node)) {
            return NO_MEMORY;
        }
    }
    return list_nodes(plan) ? OK : NO_MEMORY;
}
#endif
