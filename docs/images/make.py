"""Draw the pictures of the README and of the pages with dalembert itself: figures of examples."""

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import dalembert as dal

HERE = Path(__file__).resolve().parent

PICTURES = {"double-pendulum": "plot_double_pendulum", "mode-shapes": "plot_mode_shapes",
            "flexible-manipulator": "plot_flexible_manipulator"}

for picture, example in PICTURES.items():
    runpy.run_path(str(HERE.parents[1] / "examples" / f"{example}.py"))
    plt.figure(plt.get_fignums()[0]).savefig(HERE / f"{picture}.png", dpi=120)
    plt.close("all")

governor = dal.run(dal.read(HERE.parents[1] / "src/dalembert/cli/models/flyball-governor.yaml"))
governor.picture(path=HERE / "governor.png", size=(720, 500))
