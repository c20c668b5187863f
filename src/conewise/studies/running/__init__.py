"""Running a study: who evaluates, where, and what happens when something breaks."""
