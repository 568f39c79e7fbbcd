# Numbers of R's glmnet (4.1) for families given as objects, at tolerances far below the tests'.
#
# Run in this folder: Rscript families.R
# Takes the columns of gaussian_data.csv; writes families_data.csv (a response per family, weights,
# offset) and families_paths.csv (a row per family, setting and lambda, coefficients included).
# tests/test_family_reference.py reads both.

suppressMessages(library(glmnet))
data <- read.csv("gaussian_data.csv")
p <- 20
x <- as.matrix(data[, 1:p])
n <- nrow(x)

seed <- 7919
source("random.R")

z <- scale(x)
eta <- as.vector(z[, c(1, 3, 5, 12)] %*% c(0.6, -0.5, 0.4, 0.3))
trials <- 1 + floor(4 * uniform(n))
successes <- function(prob) sapply(seq_len(n), function(i) sum(uniform(trials[i]) < prob[i]))
positive <- round(-exp(eta) * log(uniform(n)), 3) + 0.01
table <- data.frame(
  trials = trials,
  probit = successes(pnorm(eta)),
  cloglog = successes(1 - exp(-exp(eta - 0.5))),
  gamma = positive,
  negative_binomial = qpois(uniform(n), -exp(eta + 0.5) * log(uniform(n))),
  tweedie = ifelse(uniform(n) < 0.3, 0, positive),
  weight = round(0.5 + uniform(n), 3),
  offset = round(uniform(n) - 0.5, 3)
)
write.csv(table, "families_data.csv", row.names = FALSE, quote = FALSE)

tweedie <- function(power) {
  deviance <- function(y, mu, wt) {
    2 * wt * (ifelse(y > 0, y * (y^(1 - power) - mu^(1 - power)) / (1 - power), -y) -
      (y^(2 - power) - mu^(2 - power)) / (2 - power))
  }
  structure(list(
    family = "tweedie", link = "log", linkfun = log, linkinv = exp, mu.eta = exp,
    variance = function(mu) mu^power, dev.resids = deviance,
    aic = function(y, n, mu, wt, dev) NA, validmu = function(mu) all(mu > 0),
    valideta = function(eta) TRUE,
    initialize = expression({ n <- rep(1, nobs); mustart <- y + 0.1 })
  ), class = "family")
}

objects <- list(
  probit = binomial(link = "probit"),
  cloglog = binomial(link = "cloglog"),
  gamma = Gamma(link = "log"),
  negative_binomial = MASS::negative.binomial(theta = 2, link = "log"),
  tweedie = tweedie(1.4)
)
settings <- list(
  plain = list(),
  combined = list(weights = table$weight, offset = table$offset, alpha = 0.6,
                  standardize = FALSE)
)

digits <- function(v) sprintf("%.14g", v)
paths <- NULL
for (name in names(objects)) {
  for (setting in names(settings)) {
    arguments <- settings[[setting]]
    y <- table[[name]]
    if (name %in% c("probit", "cloglog")) {  # shares, whose weights are multiplied by the trials
      y <- y / trials
      arguments$weights <- trials * (if (is.null(arguments$weights)) 1 else arguments$weights)
    }
    glmnet.control(factory = TRUE)
    glmnet.control(epsnr = 1e-14, mxitnr = 500)
    fit <- do.call(glmnet, c(list(x, y, family = objects[[name]], nlambda = 12, thresh = 1e-22,
                                  maxit = 1e8, lambda.min.ratio = 0.01), arguments))
    k <- seq_along(fit$lambda)
    paths <- rbind(paths, data.frame(family = name, setting = setting, k = k - 1,
      lambda = digits(fit$lambda), intercept = digits(fit$a0),
      dev_ratio = digits(fit$dev.ratio), null_deviance = digits(fit$nulldev),
      matrix(digits(t(as.matrix(fit$beta))), length(k), dimnames = list(NULL, paste0("b", 1:p)))))
  }
}
write.csv(paths, "families_paths.csv", row.names = FALSE, quote = FALSE)
