"""tmu, Tsetlin machines: the one whose clauses are on the device learns what the one on processors learns."""

import tempfile

import numpy as np
import pytest


@pytest.fixture
def machines(tmp_path, monkeypatch):
    """Their module. It keeps compiled kernels in the folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    from tmu.models.classification import vanilla_classifier

    return vanilla_classifier


def accuracy(machines, platform, bank):
    """Of the exclusive or of two of twelve bits, after a few rounds."""
    bits = np.random.RandomState(1).randint(0, 2, (1400, 12)).astype(np.uint32)
    wanted = np.logical_xor(bits[:, 0], bits[:, 1]).astype(np.uint32)
    machine = machines.TMClassifier(20, 15, 3.9, platform=platform, seed=3)
    for _ in range(6):
        machine.fit(bits[:400], wanted[:400])
    assert type(machine.clause_banks[0]).__name__ == bank
    return (machine.predict(bits[400:]) == wanted[400:]).mean()


def test_both_learn(machines):
    assert accuracy(machines, "CPU", "ClauseBank") > 0.8
    assert accuracy(machines, "CUDA", "ImplClauseBankCUDA") > 0.8
