"""Draw the rooms of the solver as docs/_static/rooms.svg: python docs/draw_rooms.py"""

from pathlib import Path

LAYERS = [
    [("paths, estimators: a problem, λ and tol", 1)],
    [("choice: reductions, then a solver that suits", 2), ("follow: from λ to λ", 1)],
    [("newton", 1), ("responses", 1), ("first_order", 1), ("margin", 1), ("homotopy", 1),
     ("greedy", 1), ("baselines", 1)],
    [("quadratic: models on a working set", 2), ("rounds", 1), ("screening", 1)],
    [("certificate: one gap, one dual point", 2), ("problem", 1), ("state, tolerances", 1)],
    [("losses", 1), ("penalties", 1), ("linalg", 1)],
]  # fmt: skip
WIDTH, HEIGHT, GAP, STEP = 760, 40, 8, 62


def box(x, y, width, text):
    """Return one room: a rectangle and its words in the middle."""
    return (
        f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{HEIGHT}" rx="6" fill="#eef3f8" '
        f'stroke="#5b7a99"/>\n<text x="{x + width / 2:.0f}" y="{y + 25}">{text}</text>'
    )


def drawing():
    """Return the picture: each layer knows those below it."""
    parts = []
    for level, rooms in enumerate(LAYERS):
        unit = (WIDTH - GAP * (len(rooms) - 1)) / sum(share for _, share in rooms)
        x, y = 10.0, 10 + STEP * level
        for text, share in rooms:
            parts.append(box(x, y, unit * share, text))
            x += unit * share + GAP
        if level:
            middle = 10 + WIDTH // 2
            parts.append(
                f'<path d="M{middle} {y - STEP + HEIGHT + 3} V{y - 4} m-4 -6 l4 6 l4 -6" '
                'fill="none" stroke="#5b7a99"/>'
            )
    size = f'width="{WIDTH + 20}" height="{STEP * len(LAYERS)}"'
    view = f'viewBox="0 0 {WIDTH + 20} {STEP * len(LAYERS)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view}'
    style = 'font-family="sans-serif" font-size="14" text-anchor="middle" fill="#1b2733">'
    return "\n".join([f"{head} {style}", *parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("_static").joinpath("rooms.svg").write_text(drawing())
