package org.pycuda.compiler;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The event of a compilation for Java Flight Recorder. Loaded only if the runtime has the module jdk.jfr. */
@Name("org.pycuda.Compilation")
@Label("CUDA Compilation")
@Description("Compilation of CUDA source, or its lookup in the disk cache")
@Category("CUDA")
final class CompilationEvent extends Event {
    @Label("Cache Hit")
    boolean cacheHit;
    @Label("Compiler")
    String compiler;
    @Label("Target")
    String target;
}
