"""Links into other packages' documentation without a network: inventories written from a list.

links.txt has a line for each package (its name, and where its documentation begins) and below it
one for each object: its role, its name, and its page.
"""

import tempfile
import zlib
from pathlib import Path


def read(text):
    """The packages of a list: {name: (address, [(role, object, page), ...])}."""
    packages, objects = {}, []
    for line in text.splitlines():
        parts = line.split()
        if not parts or parts[0] == "#":
            continue
        if line[0].isspace():
            objects.append(tuple(parts))
        else:
            objects = []
            packages[parts[0]] = (parts[1], objects)
    return packages


def inventory(name, objects):
    """The bytes of an inventory in Sphinx's format, version 2."""
    head = f"# Sphinx inventory version 2\n# Project: {name}\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    lines = [f"{thing} py:{role} 1 {page} -\n" for role, thing, page in objects]
    return head.encode() + zlib.compress("".join(lines).encode())


def mapping(file, online):
    """What intersphinx_mapping takes: the packages' own inventories, or those of the list."""
    folder = Path(tempfile.mkdtemp(prefix="inventories"))
    found = {}
    for name, (address, objects) in read(Path(file).read_text()).items():
        local = folder / f"{name}.inv"
        local.write_bytes(inventory(name, objects))
        found[name] = (address, None if online else str(local))
    return found
