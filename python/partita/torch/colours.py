# SPDX-License-Identifier: Apache-2.0
"""Colour classes: what must share a device, joined step by step (union-find)."""

from __future__ import annotations


class Colours:
    """Keys are nodes of the forward graph, or positions in the workload for what is not in it."""

    def __init__(self, groups=()):
        self._parent = {}
        for group in groups:
            self.join(group)

    def join(self, keys) -> None:
        keys = list(keys)
        for other in keys[1:]:
            self._parent[self._root(other)] = self._root(keys[0])

    def number(self, graph) -> None:
        """Gives each class of several nodes its number, in the order of its first node."""
        key_of = {place: node for node, place in graph.place.items()}
        classes: dict = {}
        for place in range(len(graph.nodes)):
            classes.setdefault(self._root(key_of.get(place, place)), []).append(place)
        for number, places in enumerate(places for places in classes.values() if len(places) > 1):
            for place in places:
                graph.nodes[place].colour = number

    def _root(self, key):
        while (parent := self._parent.get(key, key)) != key:
            key = parent
        return key
