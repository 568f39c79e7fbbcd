"""Working columns: standardised copies of the columns of the working set, laid out for speed."""
