# Numbers of R's glmnet (4.1) for the binomial and poisson families, far below the tests' tolerances.
#
# Run in this folder: Rscript glm.R
# Writes glm_data.csv (the data, rounded so that every language reads the same doubles),
# glm_paths.csv (one row per family, setting and lambda), glm_coefs.csv (coefficients at a few
# lambdas of each) and glm_ends.csv (where glmnet's own grid of 100 lambdas starts and stops).
# test_reference.py reads all four, and checks the optimality of what stands in them.

suppressMessages(library(glmnet))
n <- 120
p <- 12

seed <- 20241108
source("random.R")

z <- matrix(normal(n * p), n)
for (j in 2:p) z[, j] <- 0.6 * z[, j - 1] + 0.8 * z[, j]  # neighbours are correlated
x <- sweep(z, 2, rep(c(0.3, 1, 4, 0.1), length.out = p), "*")
x <- round(sweep(x, 2, rep(c(0, 2, -1), length.out = p), "+"), 3)
for (j in c(5, 9, 11)) x[abs(z[, j]) < 0.9, j] <- 0  # columns that are mostly zero
signal <- as.vector(z[, c(1, 3, 5, 6, 9, 12)] %*% c(0.9, -0.6, 0.5, 0.4, -0.4, 0.3))
o <- round(0.7 * normal(n), 3)
w <- round(3 * uniform(n), 3)
w[c(4, 31, 77)] <- 0
yes <- as.integer(uniform(n) < plogis(signal - 0.2))
rare <- as.integer(uniform(n) < plogis(signal - 2.8))
trials <- 1 + floor(9 * uniform(n))
successes <- rowSums(matrix(uniform(9 * n), n) < plogis(signal) & outer(trials, 1:9, ">="))
u <- matrix(uniform(40 * n), n)  # a poisson count: how many gaps of a unit-rate process fit in
events <- rowSums(t(apply(-log(u), 1, cumsum)) < exp(0.4 + 0.6 * signal))
exposure <- round(0.5 + 3 * uniform(n), 2)
table <- data.frame(x, yes, rare, trials, successes, events, weight = w, offset = o, exposure)
names(table)[1:p] <- paste0("x", 1:p)
write.csv(table, "glm_data.csv", row.names = FALSE, quote = FALSE)

# What the settings share. test_reference.py holds the same table in Python.
factors <- rep(c(1, 0.5, 2, 1.5), length.out = p)
factors[c(2, 7)] <- 0
factors[9] <- Inf
lower <- rep(c(-0.5, -Inf, -0.1), length.out = p)
upper <- rep(c(0.8, 0.25, Inf, 0.5), length.out = p)
constant <- x
constant[, 3] <- 2.5
sparse <- x
sparse[(row(x)^2 + 3 * row(x) * col(x) + 7 * col(x)^2) %% 11 < 7] <- 0  # indices from 1
sparse <- as(sparse, "CsparseMatrix")
wide <- 1:10
every <- list(weights = w, offset = o, penalty.factor = factors, lower.limits = lower,
              upper.limits = upper, alpha = 0.5)

shared <- function(y) list(
  plain = list(x, y),
  weights = list(x, y, weights = w),
  offset = list(x, y, offset = o),
  factors = list(x, y, penalty.factor = factors),
  limits = list(x, y, lower.limits = lower, upper.limits = upper),
  nonnegative = list(x, y, lower.limits = 0),
  elastic = list(x, y, alpha = 0.5),
  ridge = list(x, y, alpha = 0),
  no_intercept = list(x, y, intercept = FALSE),
  no_standardize = list(x, y, standardize = FALSE),
  constant = list(constant, y, penalty.factor = factors),
  sparse = list(sparse, y),
  sparse_weights = list(sparse, y, weights = w, intercept = FALSE),
  wide = list(x[wide, ], y[wide]),
  dfmax = list(x, y, dfmax = 5),
  # pmax counts what glmnet's sweeps touch on their way, too: with 6 that, and not a solution, ends
  # the poisson path.
  pmax = list(x, y, pmax = 7),
  combined = c(list(x, y), every),
  combined_sparse = c(list(sparse, y), every, standardize = FALSE),
  combined_origin = c(list(x, y), every, intercept = FALSE)
)
counts <- cbind(trials - successes, successes)
share <- successes / trials
settings <- list(
  binomial = c(shared(yes), list(
    counts = list(x, counts),
    counts_weights = list(x, counts, weights = w, offset = o),
    proportions = list(x, cbind(1 - share, share)),
    proportions_weights = list(x, cbind(1 - share, share), weights = w),
    unbalanced = list(x, rare)
  )),
  poisson = c(shared(events), list(
    exposure = list(x, events, offset = log(exposure)),
    rare = list(x, rare),
    real = list(x, events + 0.25, weights = w)
  ))
)

digits <- function(v) sprintf("%.14g", v)
solve <- function(family, setting, ...) {
  # fdev = 1e-5 and devmax = 0.999: the default stopping rule. A smaller pmin clamps nothing.
  glmnet.control(factory = TRUE, pmin = 1e-14)
  arguments <- c(setting, list(family = family, thresh = 1e-22, maxit = 1e9, ...))
  fit <- suppressWarnings(do.call(glmnet, arguments))  # pmax warns; it is meant to
  stopifnot(fit$jerr <= 0)
  fit
}

paths <- coefs <- ends <- NULL
for (family in names(settings)) for (name in names(settings[[family]])) {
  fit <- solve(family, settings[[family]][[name]], nlambda = 30)
  k <- seq_along(fit$lambda)
  own <- data.frame(family = family, setting = name)
  paths <- rbind(paths, data.frame(own, k = k - 1, lambda = digits(fit$lambda),
    intercept = digits(fit$a0), df = fit$df, dev_ratio = digits(fit$dev.ratio),
    null_deviance = digits(fit$nulldev)))
  shown <- unique(round(seq(2, length(k), length.out = 6)))
  values <- t(as.matrix(fit$beta))[shown, , drop = FALSE]
  coefs <- rbind(coefs, data.frame(own, k = shown - 1,
    matrix(digits(values), nrow(values), dimnames = list(NULL, paste0("b", 1:p)))))
  fit <- solve(family, settings[[family]][[name]])
  many <- length(fit$lambda)
  ends <- rbind(ends, data.frame(own, n_lambdas = many, first = digits(fit$lambda[1]),
    last = digits(fit$lambda[many]), dev_ratio = digits(fit$dev.ratio[many])))
}
write.csv(paths, "glm_paths.csv", row.names = FALSE, quote = FALSE)
write.csv(coefs, "glm_coefs.csv", row.names = FALSE, quote = FALSE)
write.csv(ends, "glm_ends.csv", row.names = FALSE, quote = FALSE)
