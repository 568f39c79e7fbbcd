# Times R's glmnet as peers.py does: reads FOLDER, warms up, answers each line "tol count out";
# a line of one word is the folder of the next problem.
suppressPackageStartupMessages({library(Matrix); library(glmnet)})
laid <- function(folder) {  # the problem in a folder
  at <- function(name) file.path(folder, name)
  facts <- readLines(at("facts.txt"), warn = FALSE)
  family <- facts[5]; facts <- as.numeric(facts[1:4])
  n <- facts[1]; p <- facts[2]; nnz <- facts[3]
  if (nnz > 0) {
    X <- new("dgCMatrix", Dim = as.integer(c(n, p)), x = readBin(at("values.bin"), "double", nnz),
             i = readBin(at("rows.bin"), "integer", nnz),
             p = readBin(at("starts.bin"), "integer", p + 1))
  } else {
    X <- matrix(readBin(at("values.bin"), "double", n * p), n, p)
  }
  list(X = X, y = readBin(at("y.bin"), "double", n), family = family, alpha = facts[4],
       lambdas = readBin(at("lambdas.bin"), "double", 1000))
}
glmnet.control(fdev = 0, devmax = 1)  # never stop before the last lambda
solve_path <- function(tol, count) {
  glmnet(problem$X, problem$y, family = problem$family, lambda = problem$lambdas[1:count], alpha = problem$alpha,
         standardize = FALSE, intercept = TRUE, thresh = tol, maxit = 2e9)
}
problem <- NULL
begin <- function(folder) {
  problem <<- laid(folder)
  invisible(solve_path(1e-2, 2))
  cat("ready", as.character(packageVersion("glmnet")), "\n"); flush(stdout())
}
begin(commandArgs(trailingOnly = TRUE)[1])
input <- file("stdin"); open(input)
while (length(line <- readLines(input, 1)) > 0) {
  part <- strsplit(line, "\t")[[1]]
  if (length(part) == 1) { begin(part); next }
  gc()  # R's own collection of the last answer is not glmnet's time
  clock <- proc.time()
  fit <- suppressWarnings(solve_path(as.numeric(part[1]), as.integer(part[2])))
  clock <- proc.time() - clock
  writeBin(fit$beta@x, paste0(part[3], ".data"))
  writeBin(fit$beta@i, paste0(part[3], ".indices"))
  writeBin(fit$beta@p, paste0(part[3], ".indptr"))
  cat(clock[["elapsed"]], clock[["user.self"]] + clock[["sys.self"]], "\n"); flush(stdout())
}
