"""First-order methods: proximal gradient, block coordinate descent, reweighted l2, subgradient."""
