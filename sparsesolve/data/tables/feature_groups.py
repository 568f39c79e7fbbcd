"""Groups of features, from a small file that accompanies the data."""

import csv
import os
import zipfile

import numpy as np


def read_feature_groups(source, data_file, table, overlapping=False):
    """Return groups in the form of penalties.

    Parameters
    ----------
    source : str
        A CSV file with the columns feature and group, in which features that are not named are
        groups of one; or, for data in an .npz file, the name of an array of labels.
    data_file : str
    table : Table
        The table of the data.
    overlapping : bool, default False
        Whether a feature may be in several groups.

    Returns
    -------
    groups : dict of label to list of feature numbers, or ndarray (p,) of labels
    """
    if os.path.isfile(data_file) and zipfile.is_zipfile(data_file):  # a pipe is read only once
        with np.load(data_file, allow_pickle=False) as arrays:
            if source in arrays.files:
                return arrays[source]
    if table.feature_names is None:
        raise ValueError(f"{source}: the data have no names of columns to which it could refer")
    places = {name: j for j, name in enumerate(table.feature_names.tolist())}
    with open(source, newline="", encoding="utf-8-sig") as stream:
        rows = csv.reader(stream)
        header = [name.strip().lower() for name in next(rows, [])]
        if header != ["feature", "group"]:
            raise ValueError(f"{source}: the first line must be feature,group")
        groups, seen = {}, set()
        for row in filter(None, rows):
            where = f"{source}: line {rows.line_num}"
            if len(row) != 2:
                raise ValueError(f"{where} has {len(row)} cells; a feature and its group are two")
            feature, group = (cell.strip() for cell in row)
            if feature not in places:
                raise ValueError(f"{where} names {feature!r}, which is not a column of X")
            if places[feature] in groups.get(group, ()):
                raise ValueError(f"{where} puts {feature!r} into {group!r} a second time")
            if places[feature] in seen and not overlapping:
                raise ValueError(
                    f"{where} puts {feature!r} into a second group; one is allowed, but with "
                    "--penalty latent-group, overlap-linf, overlap-l2, tree-l2 or tree-linf"
                )
            seen.add(places[feature])
            groups.setdefault(group, []).append(places[feature])
    if not groups:
        raise ValueError(f"{source}: there are no features below the header")
    return groups
