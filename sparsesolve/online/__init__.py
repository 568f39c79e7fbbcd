"""Online learning: FOBOS, dual averaging and FTRL on rows that arrive one after the other."""
