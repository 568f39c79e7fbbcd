"""The functions that solve: each reads its options, assembles a problem and wraps the path."""
