package org.pycuda;

/**
 * The order of an array's elements in memory.
 * @see ArrayFactory
 */
public enum Order {
    /** Row-major: the last index varies fastest. */
    C,
    /** Column-major: the first index varies fastest. */
    F,
    /** The order of another array's elements. */
    K
}
