# glmnet's numbers (4.1) for the cox family where there are nearly as many columns as rows: the
# design is made of whole numbers, here as in tests/test_cox_square.py, which reads them.
#
# Run in this folder: Rscript cox_square.R
suppressMessages({library(glmnet); library(survival)})
n <- 120; p <- 100; m <- 10007
draw <- function(i, j) ((i^3 + 31 * i * j^2 + 17 * j^3 * i^2) %% m + 0.5) / m
x <- outer(1:n, 1:p, draw) - 0.5
u <- draw(1:n, p + 7)
time <- -log(u) * exp(-3 * (x[, 1] - x[, 2] + x[, 3]))
status <- as.integer(1:n %% 3 > 0)
fit <- glmnet(x, Surv(time, status), family = "cox", nlambda = 60, lambda.min.ratio = 1e-2,
              thresh = 1e-17, maxit = 1e8)
at <- c(1, 10, 20, 30, 40, 50, 60)
write.csv(data.frame(lambda = signif(fit$lambda[at], 12), df = fit$df[at],
                     dev_ratio = signif(fit$dev.ratio[at], 10),
                     size = signif(colSums(abs(as.matrix(fit$beta)))[at], 9)),
          "cox_square.csv", row.names = FALSE, quote = FALSE)
