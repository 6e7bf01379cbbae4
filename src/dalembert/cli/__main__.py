"""Lets ``python -m dalembert.cli`` do what the command `dalembert` does."""

from .main import main

main(prog_name="dalembert")
