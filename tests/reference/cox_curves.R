# Survival curves and concordance of cox paths, by glmnet's survfit and Cindex: cox_curves.csv.
# Run in this folder: Rscript cox_curves.R
# No two times are equal: glmnet fits with Breslow's ties, but takes the hazard by Efron's.
suppressMessages(library(glmnet))
suppressMessages(library(survival))

glmnet.control(mxitnr = 5000, epsnr = 1e-12)  # strata are fitted by another routine
x <- as.matrix(read.csv("gaussian_data.csv")[, paste0("x", 1:6)])
i <- seq_len(nrow(x))
time <- (i * 37) %% 101 + i / 1000 + 1
status <- as.numeric(i %% 3 != 0)
stratum <- i %% 2
weight <- 1 + i %% 4
s <- c(0.06, 0.02)
times <- c(5, 20, 60)

out <- NULL
for (setting in c("plain", "strata", "weights")) {
  y <- Surv(time, status)
  if (setting == "strata") y <- stratifySurv(y, stratum)
  w <- if (setting == "weights") weight else rep(1, nrow(x))
  fit <- glmnet(x, y, family = "cox", weights = w, lambda = s, thresh = 1e-14)
  for (lam in s) {
    C <- Cindex(predict(fit, newx = x, s = lam), Surv(time, status), weights = w)
    for (k in 1:4) {
      given <- list(fit, s = lam, x = x, y = y, weights = w, newx = x[k, , drop = FALSE])
      if (setting == "strata") given$newstrata <- stratum[k]
      curve <- summary(do.call(survfit, given), times = times)$surv
      out <- rbind(out, data.frame(setting, lambda = lam, row = k, time = times,
                                   survival = curve, concordance = C))
    }
  }
}
out$survival <- format(out$survival, digits = 12)
out$concordance <- format(out$concordance, digits = 12)
write.csv(out, "cox_curves.csv", row.names = FALSE, quote = FALSE)
