"""Draw the pictures of the README and of the pages with dalembert itself: figures of examples."""

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).resolve().parent

for picture, example in (("double-pendulum", "plot_double_pendulum"), ("mode-shapes", "plot_mode_shapes")):
    runpy.run_path(str(HERE.parents[1] / "examples" / f"{example}.py"))
    plt.gcf().savefig(HERE / f"{picture}.png", dpi=120)
