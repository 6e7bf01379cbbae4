"""Public names of dal.flex."""

import subprocess
import sys


def test_names_stay_functions_when_their_modules_are_loaded():
    """A module of the same name as a function would take its place as soon as another module imports it."""
    code = ("import dalembert as dal, importlib, pkgutil\n"
            "[importlib.import_module('dalembert.flex.' + m.name) for m in pkgutil.iter_modules(dal.flex.__path__)]\n"
            "assert all(callable(getattr(dal.flex, name)) for name in dal.flex.__all__)\n")
    subprocess.run([sys.executable, "-c", code], check=True)
