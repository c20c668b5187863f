"""Claims for every truth: when to stop and what may be said, whatever was evaluated when."""
