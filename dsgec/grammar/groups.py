"""A directed graph to its strongly connected groups, by Tarjan's algorithm without recursion."""

from collections.abc import Sequence


def find_groups(callees: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The groups of the graph, callees before callers, each in ascending order."""
    order = [-1] * len(callees)  # when a node was first seen
    lowest = [0] * len(callees)  # the earliest node still open that it leads to
    is_open = [False] * len(callees)
    opened: list[int] = []
    groups: list[tuple[int, ...]] = []
    seen = 0
    for root in range(len(callees)):
        if order[root] >= 0:
            continue
        path = [(root, 0)]
        while path:
            node, edge = path.pop()
            if edge == 0:
                order[node] = lowest[node] = seen
                seen += 1
                opened.append(node)
                is_open[node] = True
            else:
                lowest[node] = min(lowest[node], lowest[callees[node][edge - 1]])
            while edge < len(callees[node]):
                callee = callees[node][edge]
                edge += 1
                if order[callee] < 0:
                    path += [(node, edge), (callee, 0)]
                    break
                if is_open[callee]:
                    lowest[node] = min(lowest[node], order[callee])
            else:
                if lowest[node] == order[node]:
                    at = len(opened) - 1
                    while opened[at] != node:
                        at -= 1
                    groups.append(tuple(sorted(opened[at:])))
                    for member in groups[-1]:
                        is_open[member] = False
                    del opened[at:]
    return tuple(groups)
