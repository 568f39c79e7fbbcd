"""Constants of the screening of inactive features (solvers/screening)."""

# Rows of a dense design from which a bound costs less than a product with a column
# (benchmarks/paths/crossovers.py screening: at 150 rows bounds took 0.92 of the time of products,
# at 300 0.71, at 1,200 0.60).
BOUND_ROWS = 350

# Values of a dense design from which bounds are kept: smaller designs stay in cache, where
# products cost little.
BOUND_VALUES = 1_000_000

# Columns up to which comparing residuals costs more than products with all of them.
FEW_COLUMNS = 256

# Bytes of quantised columns from which threads gain more than they wait.
BYTES_FOR_THREADS = 5e5

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

# Values of a dense design from which products with 8-bit copies are worth saving: smaller ones
# stay in cache.
QUANTISED_VALUES = 1_000_000

# Bytes that 8-bit copies may take (256 MB).
QUANTISED_BYTES = 268_435_456

# Rows from which an 8-bit copy of a column is faster to multiply than the column.
QUANTISED_ROWS = 256

# Share of stored values from which inner products of a group cost little compared with the bounds
# that they improve; sparser groups have their trace.
DENSE_FROM = 0.15

# Columns of a group up to which its inner products are formed for the bound on |Z_g|.
LARGEST_GROUP = 100
