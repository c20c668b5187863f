"""The explorer (extra `explore`): a local page on which one tries preferences on one's own designs."""
