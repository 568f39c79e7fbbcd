"""Penalties: functions of the coefficients alone.

A new one is a file here, a line in PENALTIES and a test.
"""

from sparsesolve.penalties.elastic_net import ElasticNet

PENALTIES = {"elastic_net": ElasticNet}
