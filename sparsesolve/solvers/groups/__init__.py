"""Groups: how a working set solves for coefficients that a penalty ties together."""
