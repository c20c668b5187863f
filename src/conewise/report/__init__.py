"""Numbers to show (`data`), and the ways to show them: text tables and matplotlib figures."""
