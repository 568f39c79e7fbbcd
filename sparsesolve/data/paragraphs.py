"""Docstrings whose shared paragraphs are written once and stand on every page.

A docstring may leave out paragraphs of Parameters and Attributes. :func:`complete` takes those of
the signature from the first source that describes them, with the default of this signature, and
adds all attributes of the sources, their Raises, for a function their Returns and, where there is
a tolerance, their Warns. ``help`` and the reference see the whole.
"""

import re
from collections.abc import Callable, Iterable
from inspect import Parameter, cleandoc, isclass, signature
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
ORDER = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes",
         "References", "Examples")  # numpydoc's
HEADING = re.compile(r"(?:^|\n\n?)(\w[\w ]*)\n-{3,}\n")


class Paragraph(NamedTuple):
    """What numpydoc has under one heading: names, their type, and indented lines on them."""

    names: tuple[str, ...]
    kind: str
    text: str

    def shown(self, names: list[str], defaults: dict[str, Any]) -> str:
        """Return the paragraph for some of its names, with their default if it is the same."""
        kind, values = self.kind, [defaults[name] for name in names if name in defaults]
        if kind and "default" not in kind and values and all(v is values[0] for v in values):
            value = values[0]
            kind += f', default "{value}"' if isinstance(value, str) else f", default {value!r}"
        return ", ".join(names) + (f" : {kind}" if kind else "") + self.text


def sections(doc: str | None) -> dict[str, str]:
    """Return the sections of a docstring by heading, with the text before the first as ""."""
    head, *parts = HEADING.split(cleandoc(doc or ""))
    return {"": head, **dict(zip(parts[::2], parts[1::2], strict=True))}


def paragraphs(section: str) -> dict[str, Paragraph]:
    """Return the paragraphs of a section by each of their names."""
    found = {}
    for part in re.split(r"\n+(?=\S)", section.strip("\n")) if section.strip() else []:
        head, *text = part.split("\n", 1)
        names, _, kind = head.removesuffix(" :").partition(" : ")
        listed = tuple(re.split(r", *", names))
        body = "\n" + text[0].rstrip() if text else ""
        found.update(dict.fromkeys(listed, Paragraph(listed, kind, body)))
    return found


def complete(doc: str | None, function: Any, sources: Iterable[str | None]) -> str:
    """Return the docstring of a function or class with what it leaves out.

    The sources are docstrings, in the order in which they are asked.
    """
    whole, others = sections(doc), [sections(source) for source in sources]
    taken = [p for p in signature(function).parameters.values() if p.name != "self"]
    defaults = {p.name: p.default for p in taken if p.default is not Parameter.empty}
    names = [re.sub(r"[:=].*", "", str(p)).strip() for p in taken]  # with the stars of *args
    own = paragraphs(whole.get("Parameters", ""))
    known: dict[str, Paragraph] = {}
    for source in others:
        for name, each in paragraphs(source.get("Parameters", "")).items():
            plain = each._replace(kind=re.sub(r",? *default .*", "", each.kind))
            known.setdefault(name, plain)
    names += [name for name in own if name not in names]  # a test finds them
    attributes: dict[str, Paragraph] = {}
    for source in [whole, *others]:
        for name, each in paragraphs(source.get("Attributes", "")).items():
            attributes.setdefault(name, each)
    asked = (*["Returns"] * (not isclass(function)), "Raises",
             *["Warns"] * any("options" in n or n == "tol" for n in names))  # fmt: skip
    shared: dict[str, str] = {heading: source[heading] for heading in asked
              for source in [*others[::-1], whole] if heading in source}  # fmt: skip
    found = {**whole, **shared, "Parameters": _listed(names, {**known, **own}, defaults),
             "Attributes": _listed(attributes, attributes, {})}  # fmt: skip
    head = found.pop("")
    parts = [f"{heading}\n{'-' * len(heading)}\n{found[heading].strip(chr(10))}"
             for heading in sorted(found, key=ORDER.index) if found[heading]]  # fmt: skip
    return "\n\n".join([head.rstrip(), *parts])


def _listed(names, known, defaults):
    """Return the paragraphs of these names; those that share one paragraph stand together."""
    lines, left = [], list(names)
    while left:
        each = known.get(left[0])
        together = [name for name in each.names if name in left and known[name] == each] if (
            each) else left[:1]  # fmt: skip
        if each:
            lines.append(each.shown(together, defaults))
        left = [name for name in left if name not in together]
    return "\n".join(lines)


def described_by(*sources: Any) -> Callable[[F], F]:
    """Decorate a function whose docstring leaves out parameters that the sources describe.

    A source is a function, whose docstring has them, or a docstring.
    """

    def decorate(function):
        texts = [s if isinstance(s, str) else s.__doc__ for s in sources]
        if function.__doc__:  # there is none under python -OO
            function.__doc__ = complete(function.__doc__, function, texts)
        return function

    return decorate


def returning(kind: str, text: str) -> Callable[[F], F]:
    """Decorate functions that all return this kind of thing, which their docstrings leave out."""

    def decorate(function):
        if function.__doc__:  # there is none under python -OO
            returns = f"\n\nReturns\n-------\n{kind}\n    {text}\n"
            function.__doc__ = complete(cleandoc(function.__doc__) + returns, function, [])
        return function

    return decorate
