"""Lets ``python -m dalembert`` do what the command `dalembert` does."""

from .cli.main import main

main(prog_name="dalembert")
