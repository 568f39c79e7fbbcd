# Numbers of R's glmnet (4.1) for the gaussian family, at tolerances far below the tests'.
#
# Run in this folder: Rscript gaussian.R
# Writes gaussian_data.csv (the data, rounded to three decimals so that every language reads the
# same doubles), gaussian_paths.csv (one row per setting and lambda) and gaussian_coefs.csv
# (coefficients at a few lambdas of each setting). tests/test_reference.py reads all three.

suppressMessages(library(glmnet))
n <- 60
p <- 20

seed <- 20240229
source("random.R")

z <- matrix(normal(n * p), n)
for (j in 2:p) z[, j] <- 0.6 * z[, j - 1] + 0.8 * z[, j]  # neighbours are correlated
x <- sweep(z, 2, rep(c(0.3, 1, 4, 0.1), length.out = p), "*")
x <- round(sweep(x, 2, rep(c(0, 2, -1), length.out = p), "+"), 3)
for (j in c(5, 12, 13, 19)) x[abs(z[, j]) < 0.9, j] <- 0  # columns that are mostly zero
signal <- as.vector(z[, c(1, 3, 5, 6, 12, 18)] %*% c(3, -2, 1.5, 1, -1, 0.5))
y <- round(1 + signal + 1.5 * normal(n), 3)
w <- round(3 * uniform(n), 3)
w[c(4, 31)] <- 0
o <- round(normal(n), 3)
table <- data.frame(x, y = y, weight = w, offset = o)
names(table)[1:p] <- paste0("x", 1:p)
write.csv(table, "gaussian_data.csv", row.names = FALSE, quote = FALSE)

# What the settings share. test_reference.py holds the same table in Python.
factors <- rep(c(1, 0.5, 2, 1.5), length.out = p)
factors[c(2, 7)] <- 0
factors[9] <- Inf
lower <- rep(c(-0.05, -Inf, -0.2), length.out = p)
upper <- rep(c(0.1, 0.3, Inf, 0.02), length.out = p)
# glmnet divides a gaussian y by its standard deviation (1/n form, weighted, centred when there
# is an intercept), which changes lambda's meaning when alpha < 1: hand it a y where that is 1.
unit <- function(y, w = rep(1, length(y)), centre = TRUE) {
  w <- w / sum(w)
  m <- if (centre) sum(w * y) else 0
  y / sqrt(sum(w * (y - m)^2))
}
constant <- x
constant[, 3] <- 2.5
sparse <- x
sparse[(row(x)^2 + 3 * row(x) * col(x) + 7 * col(x)^2) %% 11 < 7] <- 0  # indices from 1
wide <- 1:15

settings <- list(
  plain = list(x, y),
  weights = list(x, y, weights = w),
  offset = list(x, y, offset = o),
  factors = list(x, y, penalty.factor = factors),
  limits = list(x, y, lower.limits = lower, upper.limits = upper),
  nonnegative = list(x, y, lower.limits = 0),
  elastic = list(x, unit(y), alpha = 0.5),
  ridge = list(x, unit(y), alpha = 0),
  no_intercept = list(x, y, intercept = FALSE),
  no_standardize = list(x, y, standardize = FALSE),
  constant = list(constant, y, penalty.factor = factors),
  sparse = list(as(sparse, "CsparseMatrix"), y),
  sparse_weights = list(as(sparse, "CsparseMatrix"), y, weights = w, intercept = FALSE),
  wide = list(x[wide, ], y[wide]),
  dfmax = list(x, y, dfmax = 6),
  pmax = list(x, y, pmax = 7),
  combined = list(x, unit(y - o, w) + o, weights = w, offset = o, penalty.factor = factors,
                  lower.limits = lower, upper.limits = upper, alpha = 0.5),
  combined_sparse = list(as(sparse, "CsparseMatrix"), unit(y - o, w) + o, weights = w, offset = o,
                         penalty.factor = factors, lower.limits = lower, upper.limits = upper,
                         alpha = 0.5, standardize = FALSE),
  combined_origin = list(x, unit(y - o, w, FALSE) + o, weights = w, offset = o, intercept = FALSE,
                         penalty.factor = factors, lower.limits = lower, upper.limits = upper,
                         alpha = 0.5)
)

digits <- function(v) sprintf("%.14g", v)
paths <- coefs <- NULL
for (name in names(settings)) {
  glmnet.control(factory = TRUE)  # fdev = 1e-5 and devmax = 0.999: the default stopping rule
  arguments <- c(settings[[name]], list(family = "gaussian", nlambda = 60, thresh = 1e-26,
                                        maxit = 1e8, type.gaussian = "naive"))
  fit <- suppressWarnings(do.call(glmnet, arguments))  # pmax warns; it is meant to
  k <- seq_along(fit$lambda)
  paths <- rbind(paths, data.frame(setting = name, k = k - 1, lambda = digits(fit$lambda),
    intercept = digits(fit$a0), df = fit$df, dev_ratio = digits(fit$dev.ratio),
    null_deviance = digits(fit$nulldev)))
  shown <- unique(round(seq(2, length(k), length.out = 6)))
  values <- t(as.matrix(fit$beta))[shown, , drop = FALSE]
  coefs <- rbind(coefs, data.frame(setting = name, k = shown - 1,
    matrix(digits(values), nrow(values), dimnames = list(NULL, paste0("b", 1:p)))))
}
write.csv(paths, "gaussian_paths.csv", row.names = FALSE, quote = FALSE)
write.csv(coefs, "gaussian_coefs.csv", row.names = FALSE, quote = FALSE)
