"""The user's data, converted to canonical arrays before any work starts.

Every function here either returns an array (or number) in the one form that the core accepts, or
raises ValueError or TypeError with one sentence: what was found, where, and what to do. The
user's data are never changed.
"""

from .array import real_array, refuse_truncated, unmasked
from .codes import refuse_codes
from .columns_of_numbers import read_mixed_columns
from .derivatives import check_derivatives
from .design import nonfinite_error, read_design, read_gram, refuse_damage
from .frame import (
    columns_by_name,
    columns_of,
    is_encoded,
    is_frame,
    read_feature_names,
    refuse_other_names,
)
from .keywords import answers_keywords, refuse_unknown
from .labels import label_array, read_all_classes, read_labels
from .number import plain, read_choice, read_count, read_flag, read_number, read_seed, shown
from .response import (
    Response,
    read_amounts,
    read_binary,
    read_classes,
    read_positive,
    read_real,
    read_several,
    read_sides,
)
from .row_blocks import is_dask, of_blocks
from .row_labels import by_rows, in_rows_of
from .survival import read_strata, read_survival, refuse_no_event
from .vector import (
    less_offset,
    read_excluded,
    read_lambdas,
    read_limits,
    read_offset,
    read_offsets,
    read_penalty_factor,
    read_response,
    read_shares,
    read_weights,
    refuse_missing_class,
    refuse_missing_side,
)

__all__ = [
    "Response", "answers_keywords", "by_rows", "check_derivatives", "columns_by_name",
    "columns_of", "in_rows_of", "is_dask", "is_encoded", "is_frame", "label_array", "less_offset",
    "nonfinite_error", "of_blocks", "plain", "read_all_classes", "read_amounts", "read_binary",
    "read_choice", "read_classes", "read_count", "read_design", "read_excluded",
    "read_feature_names", "read_flag", "read_gram", "read_labels", "read_lambdas", "read_limits",
    "read_mixed_columns", "read_number", "read_offset", "read_offsets", "read_penalty_factor",
    "read_positive", "read_real", "read_response", "read_seed", "read_several", "read_shares",
    "read_sides", "read_strata", "read_survival", "read_weights", "real_array", "refuse_codes",
    "refuse_damage", "refuse_missing_class", "refuse_missing_side", "refuse_no_event",
    "refuse_other_names", "refuse_truncated", "refuse_unknown", "shown", "unmasked",
]  # fmt: skip
