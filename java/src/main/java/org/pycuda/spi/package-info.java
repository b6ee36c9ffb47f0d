/** How the native libraries of a platform are found: each is in a jar of its own, as a service. */
@NullMarked
package org.pycuda.spi;

import org.jspecify.annotations.NullMarked;
