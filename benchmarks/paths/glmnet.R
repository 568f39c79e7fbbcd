# Times R's glmnet as peers.py does: reads FOLDER, warms up, answers each line "tol count out".
suppressPackageStartupMessages({library(Matrix); library(glmnet)})
folder <- commandArgs(trailingOnly = TRUE)[1]
at <- function(name) file.path(folder, name)
facts <- readLines(at("facts.txt"), warn = FALSE)
family <- facts[5]; facts <- as.numeric(facts[1:4])
n <- facts[1]; p <- facts[2]; nnz <- facts[3]; alpha <- facts[4]
if (nnz > 0) {
  X <- new("dgCMatrix", Dim = as.integer(c(n, p)), x = readBin(at("values.bin"), "double", nnz),
           i = readBin(at("rows.bin"), "integer", nnz),
           p = readBin(at("starts.bin"), "integer", p + 1))
} else {
  X <- matrix(readBin(at("values.bin"), "double", n * p), n, p)
}
y <- readBin(at("y.bin"), "double", n)
lambdas <- readBin(at("lambdas.bin"), "double", 1000)
glmnet.control(fdev = 0, devmax = 1)  # never stop before the last lambda
solve_path <- function(tol, count) {
  glmnet(X, y, family = family, lambda = lambdas[1:count], alpha = alpha, standardize = FALSE,
         intercept = TRUE, thresh = tol, maxit = 2e9)
}
invisible(solve_path(1e-2, 2))
input <- file("stdin"); open(input)
cat("ready", as.character(packageVersion("glmnet")), "\n"); flush(stdout())
while (length(line <- readLines(input, 1)) > 0) {
  part <- strsplit(line, "\t")[[1]]
  gc()  # R's own collection of the last answer is not glmnet's time
  clock <- proc.time()
  fit <- suppressWarnings(solve_path(as.numeric(part[1]), as.integer(part[2])))
  clock <- proc.time() - clock
  writeBin(fit$beta@x, paste0(part[3], ".data"))
  writeBin(fit$beta@i, paste0(part[3], ".indices"))
  writeBin(fit$beta@p, paste0(part[3], ".indptr"))
  cat(clock[["elapsed"]], clock[["user.self"]] + clock[["sys.self"]], "\n"); flush(stdout())
}
