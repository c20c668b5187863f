"""Rules as published, one paper a file."""
