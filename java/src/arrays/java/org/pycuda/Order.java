package org.pycuda;

/** In which order the elements of an array lie in memory. */
public enum Order {
    /** Rows: the last index runs fastest. */
    C,
    /** Columns: the first index runs fastest. */
    F,
    /** As another array's elements lie. */
    K
}
