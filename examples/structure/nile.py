"""
A signal in pieces: the flow of the Nile
========================================

The annual flow of the Nile at Aswan from 1871 to 1970, in 10^8 cubic metres (Cobb 1978). Total
variation of the signal itself, ``path(None, y)``, finds the year in which the flow fell.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sparsesolve as ss
from sparsesolve import penalties

FLOW = """
1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140
1100 1210 1150 1250 1260 1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969
831 726 456 824 702 1120 1100 832 764 821 768 845 864 862 698 845 744 796 1040 759
781 865 845 944 984 897 822 1010 771 676 649 846 812 742 801 1040 860 874 848 890
744 749 838 1050 918 986 797 923 975 815 1020 906 901 1170 912 746 919 718 714 740
"""
flow = pd.Series(np.array(FLOW.split(), dtype=float), index=range(1871, 1971))

# %%
# Degrees of freedom are pieces of equal flow, and gaps certify each of the profiles.
fit = ss.path(None, flow, penalty=penalties.TotalVariation())
print(fit)

# %%
# Differences of neighbours estimate the noise, and BIC then chooses two pieces. Least squares on
# these pieces has no shrinkage left.
noise = np.diff(flow).var() / 2.0
scores = ss.criteria(fit, None, flow, noise_variance=noise)
best = fit.lambdas[scores["bic"].argmin()]
print(ss.refit(fit, None, flow, best))

# %%
# The profile at that λ, its pieces fitted again, and a trend filter, whose pieces are lines.
pieces = ss.relax(fit, None, flow).coef(best)
lines = ss.path(None, flow, penalty=penalties.TrendFilter(1))
slope = lines.lambdas[ss.criteria(lines, None, flow, noise_variance=noise)["bic"].argmin()]

figure, ax = plt.subplots(figsize=(9, 4.5), layout="constrained")
ax.plot(flow, ".", color="0.6", label="flow")
ax.plot(flow.index, fit.coef(best), label="total variation")
ax.plot(flow.index, pieces, label="its pieces, relaxed")
ax.plot(flow.index, lines.coef(slope), label="trend filter")
ax.set(xlabel="Year", ylabel="Flow, 10^8 cubic metres")
ax.legend()
plt.show()

# %%
# ``plot`` draws the profiles from the largest λ to the smallest.
fit.plot()
plt.show()
