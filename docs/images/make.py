"""Draw the pictures of the README with dalembert itself: the first figures of two examples."""

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).resolve().parent

for example in ("double_pendulum", "flexible_manipulator"):
    runpy.run_path(str(HERE.parents[1] / "examples" / f"plot_{example}.py"))
    plt.figure(plt.get_fignums()[0]).savefig(HERE / f"{example.replace('_', '-')}.png", dpi=120)
    plt.close("all")
