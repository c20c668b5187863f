"""Where the journal of a study is kept: the contract, SQLite and PostgreSQL."""
