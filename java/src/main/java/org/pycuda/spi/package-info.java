/** How the native libraries of a platform are found: each is in a jar of its own, as a service. */
package org.pycuda.spi;
