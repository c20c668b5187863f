"""Numbers to show (`data`, `answer`), and the ways to show them: tables, matplotlib figures, a page, notebooks."""
