"""First-order methods: proximal gradient, PANOC, ADMM, Newton steps on tangents and by passes."""
