"""Files and frames: all that reads or writes a table."""
