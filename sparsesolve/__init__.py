"""Solution paths of sparse linear models, each point certified by its duality gap."""

__version__ = "0.1.0"
