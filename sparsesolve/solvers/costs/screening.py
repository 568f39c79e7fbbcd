"""Constants of the screening of inactive features (solvers/screening)."""

# Blocks with bounds above this share of their threshold may pass it at the next lambda, and are
# multiplied there.
CLOSE = 0.9

# Share of the threshold from which columns come along with others in dense designs of more than
# MOST_CACHED_ROWS rows: products with columns that enter later are a pass over memory each.
SOON = 0.8

# Rows up to which a dense working column stays in cache between two products.
MOST_CACHED_ROWS = 10_000

# About the largest entry of a change of the residual, over its root mean square.
UNEVEN = 7.0

# Columns that may enter in one round, however small the working set is. Fewer take more rounds;
# more take in columns that are never active.
FEWEST_ENTERING = 256

# Share of stored values from which inner products of a group cost little compared with the bounds
# that they improve; sparser groups have their trace.
DENSE_FROM = 0.15

# Columns of a group up to which its inner products are formed for the bound on |Z_g|.
LARGEST_GROUP = 100
