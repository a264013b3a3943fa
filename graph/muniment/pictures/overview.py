"""The graph by kind and causal order: a lane for each kind of node, and the edges; of a big one the newest part."""

from __future__ import annotations

from collections import Counter

from muniment.drawing.markup import LIGHT, Markup, cut, frame, number, tag, words
from muniment.model.nodes import (
    Artifact,
    Boundary,
    Call,
    Claim,
    Decision,
    Delegation,
    Event,
    Excerpt,
    Fact,
    File,
    FileVersion,
    Message,
    Node,
    Question,
    Receipt,
    Task,
    kind_of,
)
from muniment.pictures.neighbourhood import TELLING
from muniment.pictures.picture import Picture, color_of, said
from muniment.snapshot import Snapshot

LANES = (
    *(Message, Fact, Task, Question, Decision, Claim, Delegation, Call, Receipt, Event, Excerpt),
    *(FileVersion, File, Artifact, Boundary),
)
WIDTH, LEFT, RIGHT, TOP, LANE = 920.0, 150.0, 24.0, 54.0, 38.0
MOST_NODES = 600
MOST_EDGES = 1500


def overview(snapshot: Snapshot) -> Picture:
    """Return the graph of a mission: nodes by kind (down) and ordinal (across), and the edges between them."""
    every = sorted((node for kind in LANES for node in snapshot.of_kind(kind)), key=lambda node: node.ordinal)
    nodes = every[-MOST_NODES:]
    kinds = [kind_of(kind) for kind in LANES if any(isinstance(node, kind) for node in nodes)]
    places = _places(nodes, kinds)
    edges = [edge for node in nodes for edge in snapshot.edges_from(node.id, TELLING) if edge.target in places]
    counts = Counter(map(kind_of, every))
    pieces = [words(16, 26, "The graph, by kind and causal order", size=13, font_weight=600)]
    pieces += [piece for place, kind in enumerate(kinds) for piece in _lane(place, kind, counts[kind])]
    pieces += [_edge(places[edge.source], places[edge.target]) for edge in edges[-MOST_EDGES:]]
    pieces += [_dot(snapshot, node, places[node.id]) for node in nodes]
    told = f"{len(nodes)} nodes and {len(edges[-MOST_EDGES:])} edges"
    if len(every) > len(nodes) or len(edges) > MOST_EDGES:
        told += f"; the newest of {len(every)} nodes"
    height = TOP + len(kinds) * LANE + 34
    pieces.append(
        words(LEFT, height - 14, f"{told}. Membership, order and mentions are not drawn.", size=11, class_="mn-dim")
    )
    return Picture(frame(WIDTH, height, "The graph by kind and causal order", *pieces))


def _places(nodes: list[Node], kinds: list[str]) -> dict[str, tuple[float, float]]:
    """Return where nodes are; those of one kind and ordinal stand on one another, a little apart."""
    first, last = (nodes[0].ordinal, nodes[-1].ordinal) if nodes else (0, 1)
    seen: Counter[tuple[str, int]] = Counter()
    places = {}
    for node in nodes:
        key = (kind_of(node), node.ordinal)
        x = LEFT + 16 + (node.ordinal - first) / max(last - first, 1) * (WIDTH - LEFT - RIGHT - 32)
        y = TOP + kinds.index(key[0]) * LANE + LANE / 2
        places[node.id] = (x + seen[key] % 3 * 4, y + (seen[key] % 5 - 2 if seen[key] else 0) * 3)
        seen[key] += 1
    return places


def _lane(place: int, kind: str, count: int) -> list[Markup]:
    y = TOP + place * LANE
    pieces = [
        words(LEFT - 44, y + LANE / 2 + 4, kind.replace("_", " "), size=12, text_anchor="end", font_weight=600),
        words(LEFT - 12, y + LANE / 2 + 4, str(count), size=11, text_anchor="end", class_="mn-dim"),
    ]
    if place % 2 == 0:
        ground = tag("rect", class_="mn-box", x=LEFT, y=y, width=WIDTH - LEFT - RIGHT, height=LANE, fill=LIGHT["box"])
        pieces.insert(0, ground)
    return pieces


def _edge(start: tuple[float, float], end: tuple[float, float]) -> Markup:
    (sx, sy), (tx, ty) = start, end
    middle = (sy + ty) / 2
    path = f"M{number(sx)},{number(sy)} C{number(sx)},{number(middle)} {number(tx)},{number(middle)}"
    return tag("path", class_="mn-line", d=f"{path} {number(tx)},{number(ty)}", fill="none", stroke=LIGHT["line"],
               stroke_width=0.8, opacity=0.5)  # fmt: skip


def _dot(snapshot: Snapshot, node: Node, place: tuple[float, float]) -> Markup:
    told = tag("title", cut(f"{node.handle} {kind_of(node)}: {said(snapshot, node)}", 300))
    return tag("circle", told, cx=place[0], cy=place[1], r=4.5, fill=color_of(node))
