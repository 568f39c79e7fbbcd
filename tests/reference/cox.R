# Numbers of R's survival (3.5) and glmnet (4.1) for the cox family, at tolerances far below the
# tests'.
#
# Run in this folder: Rscript cox.R
# Writes cox_data.csv (the data, rounded so that every language reads the same doubles);
# cox_likelihood.csv, cox_samples.csv and cox_baseline.csv (likelihood, concordance, martingale
# residuals and baseline hazard at given coefficients); cox_paths.csv and cox_coefs.csv (paths).
# tests/test_reference_cox.py reads them.

suppressMessages(library(glmnet))
suppressMessages(library(survival))
n <- 80
p <- 12

seed <- 20240301
source("random.R")

z <- matrix(normal(n * p), n)
for (j in 2:p) z[, j] <- 0.5 * z[, j - 1] + 0.8 * z[, j]
x <- round(sweep(sweep(z, 2, rep(c(0.3, 1, 4), length.out = p), "*"), 2,
                 rep(c(0, 2, -1, 0.5), length.out = p), "+"), 3)
stratum <- 1 + floor(3 * uniform(n))
signal <- as.vector(z[, c(1, 3, 4, 8)] %*% c(0.8, -0.6, 0.5, 0.4))
start <- round(2 * uniform(n), 1) * (uniform(n) < 0.6)
stop <- start + pmax(round(-3 * log(uniform(n)) * exp(-signal), 1), 0.1)  # tenths: many ties
censored <- start + pmax(round(6 * uniform(n), 1), 0.1)
status <- as.numeric(stop <= censored)
stop <- round(pmin(stop, censored), 1)
w <- round(0.2 + 2 * uniform(n), 3)
o <- round(0.5 * normal(n), 3)
eta <- round(0.7 * signal + 0.5 * normal(n), 1)  # ties for the concordance
table <- data.frame(x, start, stop, status, stratum, weight = w, offset = o, eta)
names(table)[1:p] <- paste0("x", 1:p)
write.csv(table, "cox_data.csv", row.names = FALSE, quote = FALSE)
digits <- function(v) sprintf("%.15g", v)
write <- function(rows, file) write.csv(rows, file, row.names = FALSE, quote = FALSE)

# likelihood, residuals and baseline at eta, one row of settings each
likelihood <- samples <- baseline <- NULL
designs <- expand.grid(ties = c("breslow", "efron"), weighted = 0:1, stratified = 0:1, late = 0:1,
                       stringsAsFactors = FALSE)
for (i in seq_len(nrow(designs))) {
  late <- designs$late[i]; stratified <- designs$stratified[i]; weighted <- designs$weighted[i]
  ties <- designs$ties[i]
  setting <- paste0(if (late) "late" else "right", if (stratified) "_strata",
                    if (weighted) "_weights", "_", ties)
  y <- if (late) Surv(start, stop, status) else Surv(stop, status)
  g <- if (stratified) stratum else rep(1, n)
  u <- if (weighted) w else rep(1, n)
  model <- if (stratified) y ~ eta + strata(g) else y ~ eta
  fit <- coxph(model, weights = u, ties = ties, init = 1, robust = FALSE,
               control = coxph.control(iter.max = 0))
  pairs <- concordancefit(y, -eta, g, u, keepstrata = FALSE)$count
  stratify <- if (stratified) stratifySurv(y, g) else y
  likelihood <- rbind(likelihood, data.frame(
    setting, late, stratified, weighted, ties, loglik = digits(fit$loglik[1]),
    information = digits(1 / fit$var[1, 1]),
    deviance = if (ties == "efron") "" else
      digits(coxnet.deviance(eta, stratify, weights = u, std.weights = FALSE)),
    t(setNames(digits(pairs), c("concordant", "discordant", "tied_eta", "tied_time", "tied_both"))),
    concordance = digits(concordancefit(y, -eta, g, u)$concordance)))
  samples <- cbind(samples, digits(residuals(fit, type = "martingale")))
  colnames(samples)[ncol(samples)] <- setting
  for (k in sort(unique(g))) {
    curve <- summary(survfit(fit, newdata = data.frame(eta = 0, g = k)), censored = FALSE)
    baseline <- rbind(baseline, data.frame(setting, stratum = k, time = digits(curve$time),
      hazard = digits(curve$cumhaz), survival = digits(curve$surv)))
  }
}
write(likelihood, "cox_likelihood.csv")
write(samples, "cox_samples.csv")
write(baseline, "cox_baseline.csv")

# paths; test_cox_reference.py holds the same table in Python
factors <- rep(c(1, 0.5, 2), length.out = p)
factors[2] <- 0
factors[9] <- Inf
lower <- rep(c(-0.05, -Inf, -0.2), length.out = p)
upper <- rep(c(0.3, 0.1, Inf, 0.02), length.out = p)
right <- Surv(stop, status)
entry <- Surv(start, stop, status)
sparse <- x
sparse[(row(x)^2 + 3 * row(x) * col(x) + 7 * col(x)^2) %% 11 < 7] <- 0  # indices from 1
settings <- list(
  plain = list(x, right),
  weights = list(x, right, weights = w, offset = o),
  factors = list(x, right, penalty.factor = factors, standardize = FALSE),
  limits = list(x, right, lower.limits = lower, upper.limits = upper),
  strata = list(x, stratifySurv(right, stratum), weights = w),
  late = list(x, entry, alpha = 0.6),
  sparse = list(as(sparse, "CsparseMatrix"), entry),
  combined = list(x, stratifySurv(entry, stratum), weights = w, offset = o, alpha = 0.5,
                  penalty.factor = factors, lower.limits = lower, upper.limits = upper)
)
paths <- coefs <- NULL
for (name in names(settings)) {
  glmnet.control(factory = TRUE)  # the grid and where it ends, at the default tolerance
  fit <- do.call(glmnet, c(settings[[name]], list(family = "cox", nlambda = 30)))
  k <- seq_along(fit$lambda)
  paths <- rbind(paths, data.frame(setting = name, k = k - 1, lambda = digits(fit$lambda),
                                   null_deviance = digits(fit$nulldev)))
  shown <- unique(round(seq(2, length(k), length.out = 6)))
  # Six of its points tightly. The first four settings are solved by coordinate descent, the
  # others by reweighting with a diagonal second derivative, which takes thousands of steps.
  slow <- !name %in% c("plain", "weights", "factors", "limits")
  glmnet.control(epsnr = 1e-14, mxitnr = 5000)
  fit <- do.call(glmnet, c(settings[[name]], list(family = "cox", lambda = fit$lambda[shown],
                           maxit = 1e8, thresh = if (slow) 1e-15 else 1e-22)))
  coefs <- rbind(coefs, data.frame(setting = name, k = shown - 1, lambda = digits(fit$lambda),
    dev_ratio = digits(fit$dev.ratio),
    matrix(digits(t(as.matrix(fit$beta))), length(shown), dimnames = list(NULL, paste0("b", 1:p)))))
}
write(paths, "cox_paths.csv")
write(coefs, "cox_coefs.csv")
