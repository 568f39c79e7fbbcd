"""Mean losses of K responses in numpy: objectives of returned coefficients, and dual bounds."""

import numpy as np

TINY = np.finfo(float).tiny


def softmax(eta):
    e = np.exp(eta - eta.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class Multigaussian:
    """|y - eta|^2 / 2 over K real numbers, rows of coefficients tied."""

    tied = True

    def primal(self, Y, fit):
        """Mean loss with the best intercept, and Y - mean there."""
        R = Y - fit
        R -= R.mean(axis=0)
        return 0.5 * (R**2).sum() / len(Y), R

    def dual(self, Y, R, limit):
        s = np.clip((Y * R).sum() / max((R**2).sum(), TINY), -limit, limit)
        return (s * (Y * R).sum() - 0.5 * s * s * (R**2).sum()) / len(Y)


class Multinomial:
    """Softmax of K classes; Y is their indicator."""

    def __init__(self, tied):
        self.tied = tied

    def primal(self, Y, fit):
        a = np.zeros(Y.shape[1])
        for _ in range(60):
            P = softmax(fit + a)
            H = np.diag(P.mean(axis=0)) - P.T @ P / len(Y)
            step = np.linalg.pinv(H, rcond=1e-10) @ (Y - P).mean(axis=0)
            a += np.clip(step, -1.0, 1.0)
            if np.abs(step).max() < 1e-13:
                break
        eta = fit + a
        top = eta.max(axis=1)
        value = (
            np.log(np.exp(eta - top[:, None]).sum(axis=1)) + top - (Y * eta).sum(axis=1)
        ).mean()
        return value, Y - softmax(eta)

    def dual(self, Y, R, limit):
        s = np.clip(Y - min(limit, 1.0) * R, 0.0, 1.0)
        return -(s * np.log(np.maximum(s, TINY))).sum() / len(Y)


class Cox:
    """Breslow's partial likelihood of times and events, no two times equal."""

    tied = False

    def primal(self, Y, fit):
        order = np.argsort(-Y[:, 0])
        eta, dead = fit[order, 0], Y[order, 1] > 0
        return (np.logaddexp.accumulate(eta) - eta)[dead].sum() / len(Y), None


FAMILIES = {
    "multigaussian": Multigaussian(),
    "multinomial": Multinomial(False),
    "grouped": Multinomial(True),
    "cox": Cox(),
}
