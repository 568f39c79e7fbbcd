# Solves one problem with R's glmnet for glmnet_examples.py: glmnet_examples.R FOLDER FAMILY GROUPED.
suppressPackageStartupMessages({library(Matrix); library(glmnet); library(survival)})
options <- commandArgs(trailingOnly = TRUE)
at <- function(name) file.path(options[1], name)
facts <- scan(at("facts.txt"), quiet = TRUE)
n <- facts[1]; p <- facts[2]; columns <- facts[3]; storage <- facts[4]
X <- matrix(readBin(at("X.bin"), "double", n * p), n, p)
if (storage == 1) X <- as(X, "CsparseMatrix")
y <- matrix(readBin(at("y.bin"), "double", n * columns), n, columns)
family <- options[2]
arguments <- list(X, drop(y), family = family, thresh = 1e-20, maxit = 1e9)
if (family == "gaussian") arguments$type.gaussian <- "naive"
if (family == "cox") arguments[[2]] <- Surv(y[, 1], y[, 2])
if (family == "multigaussian") arguments$family <- "mgaussian"
if (options[3] == "1") arguments$type.multinomial <- "grouped"
glmnet.control(pmin = 1e-14)
fit <- do.call(glmnet, arguments)
stopifnot(fit$jerr <= 0)
beta <- if (is.list(fit$beta)) fit$beta else list(fit$beta)
invisible(writeBin(fit$lambda, at("lambdas.out")))
invisible(writeBin(unlist(lapply(beta, function(b) as.vector(as.matrix(b)))), at("coefs.out")))
invisible(writeBin(as.double(if (is.null(fit$a0)) numeric(0) else t(fit$a0)), at("intercepts.out")))
invisible(writeBin(as.double(fit$dev.ratio), at("dev_ratio.out")))
