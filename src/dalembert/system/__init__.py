"""From a plan to frozen tables: layout (names and indices) and pack."""
