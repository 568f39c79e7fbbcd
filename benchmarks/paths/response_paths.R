# Times glmnet for response_paths.py: reads FOLDER, answers each line "tol" with "wall cpu".
suppressPackageStartupMessages({library(Matrix); library(glmnet)})
folder <- commandArgs(trailingOnly = TRUE)[1]
at <- function(name) file.path(folder, name)
facts <- readLines(at("facts.txt"), warn = FALSE)
n <- as.integer(facts[1]); p <- as.integer(facts[2]); K <- as.integer(facts[3]); family <- facts[4]
nnz <- as.integer(facts[5]); alpha <- as.numeric(facts[6])
X <- if (nnz == 0) matrix(readBin(at("X.bin"), "double", n * p), n, p) else
  new("dgCMatrix", Dim = c(n, p), x = readBin(at("X.bin"), "double", nnz),
      i = readBin(at("rows.bin"), "integer", nnz), p = readBin(at("starts.bin"), "integer", p + 1))
Y <- matrix(readBin(at("y.bin"), "double", n * K), n, K)
lambdas <- readBin(at("lambdas.bin"), "double", 1000)
if (family == "cox") colnames(Y) <- c("time", "status")
if (family %in% c("multinomial", "grouped")) Y <- factor(Y[, 1])
glmnet.control(fdev = 0, devmax = 1)  # never stop before the last lambda
solve_path <- function(tol, lams) {
  same <- list(X, Y, alpha = alpha, lambda = lams, standardize = FALSE, thresh = tol, maxit = 2e9)
  more <- switch(family, cox = list(family = "cox"),
                 multigaussian = list(family = "mgaussian", standardize.response = FALSE),
                 multinomial = list(family = "multinomial", type.multinomial = "ungrouped"),
                 grouped = list(family = "multinomial", type.multinomial = "grouped"))
  do.call(glmnet, c(same, more))
}
invisible(suppressWarnings(solve_path(1e-2, lambdas[1:2])))
input <- file("stdin"); open(input)
cat("ready\n"); flush(stdout())
while (length(line <- readLines(input, 1)) > 0) {
  gc()  # R's own collection of the last answer is not glmnet's time
  clock <- proc.time()
  fit <- suppressWarnings(solve_path(as.numeric(line), lambdas))
  clock <- proc.time() - clock
  parts <- if (is.list(fit$beta)) fit$beta else list(fit$beta)
  out <- file(at("coefs.bin"), "wb")
  for (l in seq_along(lambdas))
    for (part in parts) writeBin(if (l <= ncol(part)) as.numeric(part[, l]) else rep(NaN, p), out)
  close(out)
  cat(clock[["elapsed"]], clock[["user.self"]] + clock[["sys.self"]], "\n"); flush(stdout())
}
