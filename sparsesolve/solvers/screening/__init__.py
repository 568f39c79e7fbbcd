"""Screening of inactive features: safe balls and the blocks that they examine."""
