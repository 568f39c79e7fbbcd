"""Fits in a documented .npz file: written whole, checked when read."""
