"""What array packages share with each other: names of C types for NumPy's dtypes, and helpers for strides."""
