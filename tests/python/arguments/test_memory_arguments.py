"""Every kind of memory in every parameter that takes memory."""

import pytest
from cells import MEMORY, context_stays, shared_values, titles  # noqa: F401
from table import ROWS, check_cell, kinds_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.mark.parametrize(("name", "parameter"), MEMORY, ids=titles(MEMORY))
def test_memory(name, parameter):
    complaints = {kind.name: check_cell(ROWS[name], parameter, kind) for kind in kinds_of(parameter)}
    assert {kind: complaint for kind, complaint in complaints.items() if complaint} == {}
