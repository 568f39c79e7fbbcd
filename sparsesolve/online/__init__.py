"""Online learning: FOBOS, dual averaging and FTRL over rows that come one after the other."""
