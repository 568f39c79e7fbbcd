"""Fits in a documented .npz file, which is written as a whole and checked when it is read."""
