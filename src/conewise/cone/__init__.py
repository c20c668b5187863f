"""The ordering cone: its definition, text form, checks and geometry."""
