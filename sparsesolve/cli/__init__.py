"""The command line: options, commands, coefficient files and the demonstration."""
