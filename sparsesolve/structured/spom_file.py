"""Files of SPOM models: arrays in numpy's .npz, without pickle.

Version 1 holds format, version, labels (K,), parameters_0, parameters_1, ... of the blocks, tied,
kernel_weights, objectives, groups if there are any, and the rest as JSON.
"""

from __future__ import annotations

import json
import zipfile
from os import PathLike
from typing import Any

import numpy as np

from sparsesolve.results.files.whole_file import whole_file
from sparsesolve.structured.spom_result import SPOM

FORMAT, VERSION = "sparsesolve spom model", 1
NUMBERS = ("lam", "eta0", "radius", "objective", "bound", "null_objective", "n_features")


def save_spom(model: SPOM, file: str | PathLike) -> None:
    """Write a SPOM."""
    if model.labels.dtype.kind == "O":
        raise ValueError(
            "labels of mixed types cannot be saved; fit with labels that are all text or all "
            "whole numbers"
        )
    names = [name.item() if hasattr(name, "item") else name for name in model.group_labels]
    strange = [name for name in names if not isinstance(name, str | int | float | bool)]
    if strange:
        raise ValueError(f"group {strange[0]!r} cannot be saved; name groups by text or numbers")
    arrays: dict[str, Any] = {"format": FORMAT, "version": VERSION, "labels": model.labels}
    arrays |= {f"parameters_{b}": theta for b, theta in enumerate(model.parameters)}
    arrays |= {name: getattr(model, name) for name in ("tied", "kernel_weights", "objectives")}
    if model.groups is not None:
        arrays["groups"] = model.groups
    rest = {name: getattr(model, name) for name in NUMBERS}
    rest |= {"group_labels": names, "blocks": list(model.blocks), "options": model.options}
    with whole_file(file, "wb") as stream:
        np.savez_compressed(stream, **arrays, rest=json.dumps(rest))


def load_spom(file: str | PathLike) -> SPOM:
    """Read a model that `SPOM.save` wrote.

    Parameters
    ----------
    file : str or path

    Returns
    -------
    SPOM

    Raises
    ------
    ValueError
        If the file is no such model, is damaged, or was written by a later version.

    Examples
    --------
    >>> import sparsesolve as ss
    >>> model = ss.spom([[1.0], [-1.0], [1.0]], ["a", "b", "a"], C=10.0, eta0=1.0)
    >>> model.save("spom.npz")
    >>> ss.structured.load_spom("spom.npz").predict([[1.0], [-1.0]])
    array(['a', 'b'], dtype='<U1')
    """
    return SPOM(**_fields(file))


def _fields(file: str | PathLike) -> dict[str, Any]:
    """Return the fields of a SPOM that `save_spom` wrote."""
    try:
        with np.load(file, allow_pickle=False) as found:
            if str(found.get("format", "")) != FORMAT:
                raise ValueError("it does not hold a SPOM")
            if int(found["version"]) > VERSION:
                raise ValueError(f"it is of version {found['version']}; use a later sparsesolve")
            rest = json.loads(str(found["rest"]))
            rest["blocks"] = tuple(rest["blocks"])
            count = sum(name.startswith("parameters_") for name in found.files)
            return rest | {
                "labels": found["labels"], "tied": found["tied"],
                "kernel_weights": found["kernel_weights"], "objectives": found["objectives"],
                "parameters": tuple(found[f"parameters_{b}"] for b in range(count)),
                "groups": found["groups"] if "groups" in found.files else None,
            }  # fmt: skip
    except (zipfile.BadZipFile, EOFError, KeyError, TypeError) as error:
        raise ValueError(f"{file}: the file is damaged ({error})") from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
