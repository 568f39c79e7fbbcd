"""Results of the functions: coefficients, predictions, printing, pictures and files."""
