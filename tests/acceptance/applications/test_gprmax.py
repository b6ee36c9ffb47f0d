"""gprMax, which simulates radar in the ground: its CUDA solver gives what its own solver for processors gives."""

import subprocess
import sys

import h5py
import numpy as np
import pytest

PIPE = """
#domain: 0.120 0.105 0.002
#dx_dy_dz: 0.002 0.002 0.002
#time_window: 1.5e-9
#material: 6 0 1 0 half_space
#waveform: ricker 1 1.5e9 wave
#hertzian_dipole: z 0.050 0.085 0 wave
#rx: 0.070 0.085 0
#box: 0 0 0 0.120 0.085 0.002 half_space
#cylinder: 0.060 0.040 0 0.060 0.040 0.002 0.010 pec
"""
# Each kind of material, source and boundary that has kernels of its own.
SOIL = """
#domain: 0.040 0.040 0.040
#dx_dy_dz: 0.002 0.002 0.002
#time_window: 4e-10
#pml_cells: 6
#material: 4 0.05 1 0 soil
#material: 3 0.01 1 0 water
#add_dispersion_debye: 1 5 1e-10 water
#material: 2 0.001 1 0 plasma
#add_dispersion_drude: 1 1e9 1e8 plasma
#waveform: gaussiandot 1 3e9 wave
#voltage_source: z 0.020 0.020 0.026 50 wave
#magnetic_dipole: x 0.016 0.020 0.026 wave
#transmission_line: z 0.024 0.020 0.026 50 wave
#rx_array: 0.016 0.024 0.026 0.022 0.024 0.026 0.002 0 0
#box: 0 0 0 0.040 0.040 0.016 soil
#sphere: 0.020 0.020 0.014 0.006 water
#box: 0.014 0.014 0.018 0.018 0.018 0.022 plasma
#snapshot: 0 0 0 0.040 0.040 0.040 0.004 0.004 0.004 3e-10 field
"""


def solve(folder, model, name, *options):
    (folder / "model.in").write_text(f"#title: {name}\n{model}")
    done = subprocess.run([sys.executable, "-P", "-m", "gprMax", "model.in", "-o", f"{name}.h5", "--hide-progress-bars", "--allow-underresolved", *options],
                          cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    with h5py.File(folder / f"{name}.h5") as file:
        return {f"{receiver}/{field}": values[:] for receiver, fields in file["rxs"].items() for field, values in fields.items()}, done.stdout


@pytest.mark.parametrize("model", [PIPE, SOIL], ids=["a pipe", "soil, water and plasma"])
@pytest.mark.parametrize("precision", ["single", "double"])
def test_the_solvers_agree(tmp_path, model, precision):
    expected, _ = solve(tmp_path, model, "processors", "-cpu_precision", precision)
    given, text = solve(tmp_path, model, "device", "-gpu", "0", "-gpu_precision", precision)
    assert "CUDA backend" in text and expected.keys() == given.keys() and any(values.any() for values in expected.values())
    largest = {kind: max(abs(values).max() for name, values in expected.items() if name.split("/")[1][0] == kind) for kind in "EH"}
    for name, values in expected.items():
        tolerance = (1e-4 if precision == "single" else 1e-12) * largest[name.split("/")[1][0]]
        assert np.allclose(given[name], values, rtol=0, atol=tolerance), name
