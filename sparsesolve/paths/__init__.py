"""The functions that compute paths. Each reads its options, assembles a problem and wraps the
result.
"""
