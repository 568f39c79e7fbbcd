# Numbers of R's glmnet (4.1) for families of several responses: multinomial, plain and grouped,
# and multigaussian.
#
# Run in this folder: Rscript multi.R
# Writes multi_data.csv (the data, rounded so that every language reads the same doubles),
# multi_paths.csv (one row per family, setting and lambda) and multi_coefs.csv (one row per
# response at a few lambdas of each). tests/test_reference_multi.py reads all three.

suppressMessages(library(glmnet))
n <- 90
p <- 10

seed <- 20250117
source("random.R")

z <- matrix(normal(n * p), n)
for (j in 2:p) z[, j] <- 0.5 * z[, j - 1] + 0.9 * z[, j]  # neighbours are correlated
x <- sweep(z, 2, rep(c(0.3, 1, 4, 0.1), length.out = p), "*")
x <- round(sweep(x, 2, rep(c(0, 2, -1), length.out = p), "+"), 3)
x[abs(z[, 5]) < 0.9, 5] <- 0  # mostly zero
scores <- z[, c(1, 3, 5, 6)] %*% matrix(round(1.2 * normal(12), 2), 4)
label <- max.col(scores - log(-log(matrix(uniform(3 * n), n))))
y <- round(scores + matrix(normal(3 * n), n), 3)
w <- round(3 * uniform(n), 3)
w[c(4, 31, 77)] <- 0
o <- round(0.7 * matrix(normal(3 * n), n), 3)
counts <- matrix(floor(4 * uniform(3 * n)), n) + diag(3)[label, ]
table <- data.frame(x, label, y, w, o, counts)
names(table) <- c(paste0("x", 1:p), "label", paste0("y", 1:3), "weight", paste0("offset", 1:3),
                  paste0("count", 1:3))
write.csv(table, "multi_data.csv", row.names = FALSE, quote = FALSE)

# What the settings share. test_reference_multi.py holds the same table in Python.
factors <- rep(c(1, 0.5, 2, 1.5), length.out = p)
factors[c(2, 7)] <- 0
factors[9] <- Inf
lower <- rep(c(-0.5, -Inf, -0.1), length.out = p)
upper <- rep(c(0.8, 0.25, Inf, 0.5), length.out = p)
sparse <- x
sparse[(row(x)^2 + 3 * row(x) * col(x) + 7 * col(x)^2) %% 11 < 7] <- 0  # indices from 1
sparse <- as(sparse, "CsparseMatrix")

shared <- function(y) list(
  plain = list(x, y),
  weights = list(x, y, weights = w),
  offset = list(x, y, offset = o),
  factors = list(x, y, penalty.factor = factors),
  elastic = list(x, y, alpha = 0.5),
  no_intercept = list(x, y, intercept = FALSE),
  no_standardize = list(x, y, standardize = FALSE),
  sparse = list(sparse, y),
  sparse_weights = list(sparse, y, weights = w, intercept = FALSE),
  wide = list(x[1:8, ], if (is.matrix(y)) y[1:8, ] else factor(c(1, 2, 3, 1, 2, 3, 1, 2))),
  combined = list(x, y, weights = w, offset = o, penalty.factor = factors, alpha = 0.5)
)
settings <- list(
  multinomial = c(shared(factor(label)), list(
    counts = list(x, counts),
    limits = list(x, factor(label), lower.limits = lower, upper.limits = upper),
    limits_elastic = list(x, factor(label), lower.limits = lower, upper.limits = upper,
                          alpha = 0.5)
  )),
  grouped = c(shared(factor(label)), list(counts = list(x, counts))),
  multigaussian = shared(y)
)

digits <- function(v) sprintf("%.14g", v)
solve <- function(kind, setting, ...) {
  glmnet.control(factory = TRUE, pmin = 1e-14)
  family <- if (kind == "multigaussian") "mgaussian" else "multinomial"
  arguments <- c(setting, list(family = family, thresh = 1e-18, maxit = 1e8, ...))
  if (kind == "grouped") arguments$type.multinomial <- "grouped"
  fit <- suppressWarnings(do.call(glmnet, arguments))
  if (fit$jerr != 0) message(kind, ": ", fit$jerr)
  fit
}

paths <- coefs <- NULL
for (kind in names(settings)) for (name in names(settings[[kind]])) {
  fit <- solve(kind, settings[[kind]][[name]], nlambda = 30)
  message(kind, " ", name, " ", length(fit$lambda))
  k <- seq_along(fit$lambda)
  own <- data.frame(family = kind, setting = name)
  df <- Reduce(`|`, lapply(fit$beta, function(b) as.matrix(b) != 0))
  paths <- rbind(paths, data.frame(own, k = k - 1, lambda = digits(fit$lambda),
    df = colSums(df), dev_ratio = digits(fit$dev.ratio), null_deviance = digits(fit$nulldev)))
  shown <- unique(round(seq(2, length(k), length.out = 5)))
  for (response in seq_along(fit$beta)) {
    values <- t(as.matrix(fit$beta[[response]]))[shown, , drop = FALSE]
    coefs <- rbind(coefs, data.frame(own, k = shown - 1, response = response - 1,
      intercept = digits(fit$a0[response, shown]),
      matrix(digits(values), nrow(values), dimnames = list(NULL, paste0("b", 1:p)))))
  }
}
write.csv(paths, "multi_paths.csv", row.names = FALSE, quote = FALSE)
write.csv(coefs, "multi_coefs.csv", row.names = FALSE, quote = FALSE)
