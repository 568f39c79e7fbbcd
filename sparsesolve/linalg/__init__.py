"""Linear algebra: columns, designs, Gram matrices, Cholesky factors. It knows no statistics."""
