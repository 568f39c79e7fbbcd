"""Names in code become links: what reference.rst lists, where pages and docstrings name it.

A name is taken as it is written: `GroupL2`, ``penalties.GroupL2(groups)``, ``ss.cv_path``. Bare
names of one small word, as `path` and `online`, are also arguments and stay code.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

CALL = re.compile(r"(?:ss\.)?([A-Za-z_][\w.]*)(?:\(.*\))?", re.DOTALL)
LINKS = nodes.reference, nodes.title, addnodes.pending_xref  # no link within these


def listed(reference):
    """The full names of the reference, by each way to write them."""
    module, full = "", []
    for line in Path(reference).read_text().splitlines():
        if found := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.fullmatch(r"   ([\w.]+)", line):
            full.append(f"{module}.{found[1]}")
    names = {}
    for name in full:
        parts = name.split(".")
        for k in range(len(parts)):
            names.setdefault(".".join(parts[k:]), []).append(name)
    clear = {short: found[0] for short, found in names.items() if len(found) == 1}
    return {short: full for short, full in clear.items()
            if "." in short or "_" in short or short[0].isupper()}  # fmt: skip


def link(app, doctree):
    """Make links of the names in a page that has been read."""
    own = app.env.docname.removeprefix("api/")
    for code in list(doctree.findall(nodes.literal)):
        written = CALL.fullmatch(code.astext())
        target = written and app.names.get(written[1])
        inside = code.parent
        while inside and not isinstance(inside, LINKS):
            inside = inside.parent
        if target and target != own and inside is None:
            xref = addnodes.pending_xref(
                "", refdomain="py", reftype="obj", reftarget=target, refexplicit=True,
                refwarn=True, refdoc=app.env.docname,
            )  # fmt: skip
            code.replace_self(xref)
            xref += code


def setup(app):
    app.names = listed(Path(app.srcdir, "reference.rst"))
    app.connect("doctree-read", link)
    return {"parallel_read_safe": True}
