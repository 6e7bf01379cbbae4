"""Draw the picture of the README with dalembert itself: the figure of the example ``plot_double_pendulum.py``."""

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).resolve().parent

runpy.run_path(str(HERE.parents[1] / "examples" / "plot_double_pendulum.py"))
plt.gcf().savefig(HERE / "double-pendulum.png", dpi=120)
