"""Constants of the screening of inactive features (solvers/screening)."""
