"""Inner products between columns."""
