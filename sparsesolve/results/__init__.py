"""What the functions return, and what results answer: coefficients, predictions, printing."""
