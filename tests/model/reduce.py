"""Reduces programs that fail."""

from model import Model, NotAllowed, Unordered


def _without(steps, removed):
    """The program without some steps, and without those that then cannot be done; None if an order is missing."""
    model, kept = Model(), []
    for number, step in enumerate(steps):
        if number in removed:
            continue
        try:
            model.apply(step)
        except NotAllowed:
            continue
        except Unordered:
            return None
        kept.append(step)
    return kept


def smallest(steps, fails):
    """A failing program from which no step can be removed. `fails`: whether a program does."""
    size = len(steps) // 2
    while size:
        start = 0
        while start < len(steps):
            fewer = _without(steps, range(start, start + size))
            if fewer is not None and len(fewer) < len(steps) and fails(fewer):
                steps = fewer
            else:
                start += size
        size //= 2
    return _plainer(steps, fails)


def _plainer(steps, fails):
    """The same with `object` for each route that does not matter."""
    for number, step in enumerate(steps):
        for place, word in enumerate(step):
            if step[0] != "call" or "/" not in str(word) or word.endswith("/object"):
                continue
            plain = tuple(f"{word.split('/')[0]}/object" if index == place else part for index, part in enumerate(steps[number]))
            tried = [*steps[:number], plain, *steps[number + 1 :]]
            if _without(tried, ()) == tried and fails(tried):
                steps = tried
    return steps

