# Numbers of R's glmnet (4.1) for cross-validation: mean, standard error, count of features, and the
# two lambdas chosen, with given folds.
#
# Run in this folder: Rscript cv.R
# Writes cv_data.csv (the data, rounded so that every language reads the same doubles),
# cv_curves.csv (one row per setting and lambda), cv_chosen.csv (one row per setting) and
# cv_relaxed.csv (one row per family, gamma and lambda). tests/test_reference_cv.py reads all four.

suppressMessages(library(glmnet))
suppressMessages(library(survival))
n <- 110
p <- 8

seed <- 20250611
source("random.R")

z <- matrix(normal(n * p), n)
for (j in 2:p) z[, j] <- 0.5 * z[, j - 1] + 0.9 * z[, j]  # neighbours are correlated
x <- sweep(z, 2, rep(c(0.3, 1, 4, 0.1), length.out = p), "*")
x <- round(sweep(x, 2, rep(c(0, 2, -1), length.out = p), "+"), 3)
x[abs(z[, 5]) < 0.9, 5] <- 0  # mostly zero
fold <- 1 + floor(5 * uniform(n))
w <- round(3 * uniform(n), 3)
w[c(4, 31, 77)] <- 0
o <- round(0.5 * normal(n), 3)
signal <- as.vector(z[, c(1, 3, 5, 6)] %*% c(0.8, -0.7, 0.5, 0.4))
real <- round(signal + normal(n), 3)
second <- round(-0.5 * signal + z[, 2] + normal(n), 3)
yes <- as.integer(uniform(n) < plogis(signal - 0.3))
trials <- 1 + floor(5 * uniform(n))
successes <- rowSums(matrix(uniform(5 * n), n) < plogis(signal) & outer(trials, 1:5, ">="))
u <- matrix(uniform(40 * n), n)  # a poisson count: how many gaps of a unit-rate process fit in
events <- rowSums(t(apply(-log(u), 1, cumsum)) < exp(0.4 + 0.6 * signal))
scores <- cbind(2 * signal, 2 * z[, 2], -signal)
label <- max.col(scores - log(-log(matrix(uniform(3 * n), n))))
time <- ceiling(-12 * log(uniform(n)) * exp(-0.8 * signal)) # with ties
status <- as.integer(uniform(n) < 0.7)
table <- data.frame(x, fold, weight = w, offset = o, real, second, yes, trials, successes, events,
                    label, time, status)
names(table)[1:p] <- paste0("x", 1:p)
write.csv(table, "cv_data.csv", row.names = FALSE, quote = FALSE)

# What the settings share. test_reference_cv.py holds the same table in Python.
sparse <- x
sparse[(row(x)^2 + 3 * row(x) * col(x) + 7 * col(x)^2) %% 11 < 7] <- 0  # indices from 1
sparse <- as(sparse, "CsparseMatrix")
given <- c(0.3, 0.2, 0.1, 0.05, 0.02, 0.01)
counts <- cbind(trials - successes, successes)
pair <- cbind(real, second)
death <- Surv(time, status)
settings <- list(
  gaussian_plain = list("gaussian", real, "deviance"),
  gaussian_mae = list("gaussian", real, "mae"),
  gaussian_weights = list("gaussian", real, "mse", weights = w, offset = o),
  gaussian_sparse = list("gaussian", real, "mse", sparse = TRUE, weights = w),
  gaussian_given = list("gaussian", real, "mse", lambda = given),
  gaussian_origin = list("gaussian", real, "mse", intercept = FALSE, standardize = FALSE),
  binomial_plain = list("binomial", yes, "deviance"),
  binomial_class = list("binomial", yes, "class"),
  binomial_auc = list("binomial", yes, "auc"),
  binomial_mse = list("binomial", yes, "mse", alpha = 0.5),
  binomial_mae = list("binomial", yes, "mae"),
  binomial_weights = list("binomial", yes, "deviance", weights = w, offset = o),
  binomial_auc_weights = list("binomial", yes, "auc", weights = w),
  binomial_counts = list("binomial", counts, "deviance", weights = w),
  poisson_plain = list("poisson", events, "deviance"),
  poisson_mse = list("poisson", events, "mse", alpha = 0.3),
  poisson_mae = list("poisson", events, "mae", weights = w),
  poisson_weights = list("poisson", events, "deviance", weights = w, offset = o),
  multinomial_plain = list("multinomial", factor(label), "deviance"),
  multinomial_class = list("multinomial", factor(label), "class"),
  multinomial_weights = list("multinomial", factor(label), "mse", weights = w),
  multinomial_grouped = list("multinomial", factor(label), "mae", type.multinomial = "grouped"),
  multigaussian_plain = list("mgaussian", pair, "deviance"),
  multigaussian_weights = list("mgaussian", pair, "mae", weights = w),
  cox_plain = list("cox", death, "deviance"),
  cox_offset = list("cox", death, "deviance", offset = o),
  cox_C = list("cox", death, "C", alpha = 0.5),
  cox_C_weights = list("cox", death, "C", weights = w)
)

digits <- function(v) sprintf("%.14g", v)
glmnet.control(factory = TRUE, pmin = 1e-14)
curves <- chosen <- NULL
record <- function(name, lambda, mean, sd, nonzero, least, one) {
  curves <<- rbind(curves, data.frame(setting = name, lambda = digits(lambda),
    mean = digits(mean), std = digits(sd), n_nonzero = nonzero))
  chosen <<- rbind(chosen, data.frame(setting = name, lambda_min = digits(least),
    lambda_1se = digits(one)))
}
for (name in names(settings)) {
  setting <- settings[[name]]
  more <- setting[-(1:3)]
  design <- if (isTRUE(more$sparse)) sparse else x
  more$sparse <- NULL
  if (is.null(more$lambda)) more$nlambda <- 30
  fit <- do.call(cv.glmnet, c(list(design, setting[[2]], family = setting[[1]],
    type.measure = setting[[3]], foldid = fold, thresh = 1e-20, maxit = 1e8), more))
  message(name, " ", length(fit$lambda), " ", match(fit$lambda.min, fit$lambda))
  record(name, fit$lambda, fit$cvm, fit$cvsd, fit$nzero, fit$lambda.min, fit$lambda.1se)
}

# cv.glmnet scales the weights of cox anew in each of the two likelihoods whose difference it takes,
# so that its numbers change with the unit of the weights. Here that scaling is left out.
full <- glmnet(x, death, family = "cox", weights = w, nlambda = 30, thresh = 1e-20, maxit = 1e8)
raw <- t(sapply(1:5, function(k) {
  kept <- fold != k
  fit <- glmnet(x[kept, ], death[kept, ], family = "cox", weights = w[kept], nlambda = 30,
                thresh = 1e-20, maxit = 1e8)
  b <- as.matrix(coef(fit, s = full$lambda))
  coxnet.deviance(x = x, y = death, weights = w, beta = b, std.weights = FALSE) -
    coxnet.deviance(x = x[kept, ], y = death[kept, ], weights = w[kept], beta = b,
                    std.weights = FALSE)
}))
deaths <- tapply(w * status, fold, sum)
raw <- raw / as.vector(deaths)
mean <- apply(raw, 2, weighted.mean, w = deaths)
sd <- sqrt(apply(sweep(raw, 2, mean)^2, 2, weighted.mean, w = deaths) / 4)
best <- which.min(mean)
record("cox_weights", full$lambda, mean, sd, full$df, full$lambda[best],
       max(full$lambda[mean <= mean[best] + sd[best]]))

# Blends of the path with refits of its features.
relaxed <- NULL
for (name in c("gaussian", "binomial", "poisson", "cox")) {
  y <- list(gaussian = real, binomial = yes, poisson = events, cox = death)[[name]]
  fit <- suppressWarnings(cv.glmnet(x, y, family = name, foldid = fold, relax = TRUE,
    gamma = c(0, 0.5, 1), weights = if (name == "gaussian") w, nlambda = 12, thresh = 1e-20,
    maxit = 1e8))
  for (part in seq_along(fit$relaxed$gamma)) {
    stats <- fit$relaxed$statlist[[part]]
    relaxed <- rbind(relaxed, data.frame(family = name, gamma = fit$relaxed$gamma[part],
      lambda = digits(stats$lambda), mean = digits(stats$cvm), std = digits(stats$cvsd),
      lambda_min = digits(fit$relaxed$lambda.min), gamma_min = fit$relaxed$gamma.min))
  }
}
write.csv(relaxed, "cv_relaxed.csv", row.names = FALSE, quote = FALSE)
write.csv(curves, "cv_curves.csv", row.names = FALSE, quote = FALSE)
write.csv(chosen, "cv_chosen.csv", row.names = FALSE, quote = FALSE)
