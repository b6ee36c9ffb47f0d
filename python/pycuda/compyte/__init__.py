"""Code that array packages share: names of C types for NumPy's dtypes, and helpers for strides."""
