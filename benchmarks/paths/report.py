"""The markdown tables of a run: wall seconds of every package at each level, and the ratios."""

from peers import OURS

# name: (what is bounded, by how much, title); s is a suboptimality, g an own duality gap
LEVELS = {
    "s": ("s", 1e-6, "Certified suboptimality at most 1e-6"),
    "s4": ("s", 1e-4, "Certified suboptimality at most 1e-4"),
    "g": ("g", 1e-4, "Own duality gap at most 1e-4"),
}


def cell(result, name, level):
    """Median seconds, or why there are none."""
    row = result["rows"].get(name, {}).get(level)
    if row:
        return f"{row['wall']:.3g}"
    if name in result["skipped"] or name not in result["attempts"]:
        return "–"
    if result["attempts"][name][-1]["wall"] is None:
        return f"> {result['budget']:g}"
    return "not met"


def ratio(result, name, level):
    """The best peer's time over ours, with the peer's name."""
    ours = result["rows"].get(name, {}).get(level)
    peers = {k: row[level]["wall"] for k, row in result["rows"].items()
             if k not in OURS and level in row}
    if not ours:
        return "–"
    if not peers:
        tried = any(k not in OURS for k in result["attempts"])
        return f"> {result['budget'] / ours['wall']:.1f} (no peer)" if tried else "–"
    best = min(peers, key=peers.get)
    return f"{peers[best] / ours['wall']:.1f} ({best})"


def markdown(results):
    """One table a level; median seconds by the wall clock."""
    names = list(dict.fromkeys(k for r in results for k in r["attempts"]))
    names = [k for k in OURS if k in names] + [k for k in names if k not in OURS]
    ours = [k for k in names if k in OURS]
    lines = []
    levels = {k for r in results for row in r["rows"].values() for k in row}
    for level in (k for k in LEVELS if k in levels):
        title = LEVELS[level][2]
        heads = ["problem", "df", *names, *(f"best peer / {k}" for k in ours)]
        lines += [f"**{title}** (wall seconds for 100 lambdas)", ""]
        lines += ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
        for r in results:
            cells = [r["problem"], str(r["df"]), *(cell(r, k, level) for k in names),
                     *(ratio(r, k, level) for k in ours)]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)
