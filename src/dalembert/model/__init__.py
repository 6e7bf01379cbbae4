"""What the user says: parts, models, their text and their check.  Knows no kernel."""
