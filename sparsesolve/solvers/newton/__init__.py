"""The working-set loop, and proximal Newton steps around it."""
