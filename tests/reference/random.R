# Random numbers for the scripts of this folder: Park and Miller's generator, exact in doubles, so
# that the data do not depend on R's version. A script sets `seed` and sources this file.

uniform <- function(k) {
  out <- numeric(k)
  for (i in seq_len(k)) {
    seed <<- (16807 * seed) %% 2147483647
    out[i] <- seed / 2147483647
  }
  out
}
normal <- function(k) rowSums(matrix(uniform(12 * k), k)) - 6
