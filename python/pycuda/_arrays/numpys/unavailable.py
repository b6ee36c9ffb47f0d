"""NumPy's functions that arrays on the device do not have, with the reasons. docs/arrays.md has the same table."""

__all__ = ["REASONS", "markdown", "reason_for", "refuse"]

#: The reasons, and the names that they are for.
REASONS = {
    "They return arrays in host memory, for which arrays have the method `get()`":
        "array asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray from_dlpack require",
    "They are about dates": "busday_count busday_offset busdaycalendar datetime_as_string datetime_data is_busday isnat",
    "They read and write files, text and buffers in host memory": "frombuffer fromfile fromiter fromregex fromstring genfromtxt load loadtxt memmap save savetxt savez savez_compressed",
    "They call a Python function for each element, or iterate over elements": "broadcast flatiter frompyfunc ndenumerate nditer nested_iters vectorize",
    "They are classes of arrays in host memory, or create their instances": "asmatrix bmat matrix ndarray poly1d recarray record",
    "They take no arrays": """arange base_repr bartlett binary_repr blackman broadcast_shapes diag_indices empty errstate eye fft.fftfreq fft.rfftfreq fft.test finfo format_float_positional
        format_float_scientific fromfunction full get_include get_printoptions getbufsize geterr geterrcall hamming hanning identity iinfo indices info isdtype issubdtype kaiser linalg.LinAlgError
        linalg.test mask_indices mintypecode ndindex ones printoptions promote_types set_printoptions setbufsize seterr seterrcall show_config show_runtime test
        tri tril_indices triu_indices typename ufunc zeros""",
}


def reason_for(name):
    """Why a function is not available; None if it is not listed."""
    return next((reason for reason, names in REASONS.items() if name in names.split()), None)


def refuse(function):
    """TypeError with the reason, for a function that is not available."""
    reason = reason_for(function.__name__)
    if reason is not None:
        raise TypeError(f"numpy.{function.__name__} is not available for arrays on the device. {reason}.")


def markdown():
    """The table of docs/arrays.md."""
    rows = [f"| {', '.join(f'`{name}`' for name in sorted(names.split()))} | {reason} |" for reason, names in REASONS.items()]
    return "\n".join(["| functions | why they do not take arrays on the device |", "| --- | --- |", *rows])
