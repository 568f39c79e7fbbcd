"""Bundle methods, the excessive gap technique and Pegasos, for losses with kinks."""
