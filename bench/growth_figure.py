"""The figure of `make growth`: a panel for each axis, log-log, with the fitted law."""
import json
import math
import pathlib
import subprocess
import tempfile


def law(row):
    """Both ends of the fitted line, through the middle of the points it was fitted on."""
    used = [(x, y) for x, y in zip(row["sizes"], row["best"]) if row["fitted_from"] <= x <= row["fitted_to"]]
    middle_x, middle_y = (math.exp(sum(map(math.log, column)) / len(used)) for column in zip(*used))
    return [{"size": x, "cost": middle_y * (x / middle_x) ** row["exponent"]} for x in (row["fitted_from"], row["fitted_to"])]


def panel(row):
    low, high = row["quartiles"]
    scale = lambda values: {"type": "log", "domain": [min(values) / 1.3, max(values) * 1.3], "nice": False}
    encoding = {
        "x": {"field": "size", "type": "quantitative", "title": row["title"], "scale": scale(row["sizes"]),
              "axis": {"values": row["sizes"], "format": "d", "grid": False, "labelOverlap": "greedy"}},
        "y": {"field": "cost", "type": "quantitative", "title": row["unit"], "scale": scale(row["best"]),
              "axis": {"format": "~g", "tickCount": 4}},
    }
    points = [{"size": x, "cost": y} for x, y in zip(row["sizes"], row["best"])]
    return {
        "width": 190, "height": 150,
        "title": {"text": f"grows as the power {row['exponent']:.2f}", "frame": "group", "offset": 10, "subtitle": [f"quartiles of rounds {low:.2f} to {high:.2f}", row["case"]]},
        "layer": [
            {"data": {"values": law(row)}, "mark": {"type": "line", "color": "#b23c04"}, "encoding": encoding},
            {"data": {"values": points}, "mark": {"type": "point"}, "encoding": encoding},
        ],
    }


def spec(found):
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": "Time of a training step against vocabulary, width, context, batch and layers, and of a sweep against its runs",
        # Panels stand in a grid whatever their labels take: flush, with room for those.
        "columns": 3, "bounds": "flush", "spacing": {"row": 105, "column": 80}, "concat": [panel(row) for row in found["axes"]],
    }


def draw(found, path):
    script = pathlib.Path(__file__).with_name("draw_spec.mjs")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".vl.json") as file:
        json.dump(spec(found), file)
        file.flush()
        subprocess.run(["node", script, file.name, path], check=True)
