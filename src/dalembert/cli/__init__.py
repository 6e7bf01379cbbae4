"""The command `dalembert`.  Modules here import nothing heavy at their top, so that help comes at once."""
