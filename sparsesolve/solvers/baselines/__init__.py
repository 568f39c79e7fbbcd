"""Methods of papers that nobody picks for speed: textbook steps to compare the others with."""
