"""Linear algebra: columns, designs, Gram matrices, Cholesky factors. Nothing of statistics."""
