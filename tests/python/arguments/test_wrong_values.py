"""Every kind of wrong value in every parameter that does not take memory."""

import pytest
from cells import OTHERS, context_stays, shared_values, titles  # noqa: F401
from other_values import WRONG
from table import ROWS, check_value

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


def wrong_values(name, parameter):
    special = ROWS[name].wrong.get(parameter.name)
    if special is not None:
        return special
    return [wrong for wrong in WRONG[parameter.kind] if not (wrong.name == "None" and parameter.may_be_none)]


@pytest.mark.parametrize(("name", "parameter"), OTHERS, ids=titles(OTHERS))
def test_wrong_values(name, parameter):
    complaints = {wrong.name: check_value(ROWS[name], parameter, wrong) for wrong in wrong_values(name, parameter)}
    assert {wrong: complaint for wrong, complaint in complaints.items() if complaint} == {}
