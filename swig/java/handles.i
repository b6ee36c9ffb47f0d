// The Java face of each wrapped class where it differs from its C++ header.

// Small results become records or arrays --------------------------------------------------------------------------------
%define PYCUDA_JAVA_ARRAY_RESULT(JNI_ELEMENT, JNI_ARRAY, ELEMENT, JSTYPE, FLATTEN, WRAP, CXX_TYPE...)
%typemap(jni) CXX_TYPE "JNI_ARRAY"
%typemap(jtype) CXX_TYPE "ELEMENT[]"
%typemap(jstype) CXX_TYPE "JSTYPE"
%typemap(out) CXX_TYPE %{ {
        const auto& value = $1;
        $result = pycuda_java::to_java(jenv, std::vector<JNI_ELEMENT> FLATTEN);
    } %}
%typemap(javaout) CXX_TYPE {
    var parts = $jnicall;
    return WRAP;
  }
%enddef
%define PYCUDA_PAIR(FIRST, SECOND) {static_cast<jlong>(value.FIRST), static_cast<jlong>(value.SECOND)} %enddef
PYCUDA_JAVA_ARRAY_RESULT(jlong, jlongArray, long, Driver.MemInfo, PYCUDA_PAIR(free, total), Driver.MemInfo.of(parts), pycuda::MemInfo)
PYCUDA_JAVA_ARRAY_RESULT(jlong, jlongArray, long, Driver.GlobalSymbol, PYCUDA_PAIR(pointer, size), Driver.GlobalSymbol.of(parts),
                         pycuda::GlobalSymbol)
PYCUDA_JAVA_ARRAY_RESULT(jint, jintArray, int, Driver.Version, (value.begin(), value.end()), Driver.Version.of(parts), std::array<int, 3>)
PYCUDA_JAVA_ARRAY_RESULT(jint, jintArray, int, int[], (value.begin(), value.end()), parts, std::vector<jint>)
PYCUDA_JAVA_ARRAY_RESULT(std::string, jobjectArray, String, java.util.List<String>, (value), java.util.List.of(parts),
                         std::vector<std::string>)
%ignore pycuda::MemInfo;
%ignore pycuda::GlobalSymbol;
%ignore pycuda::ComputeCapability;
%ignore pycuda::DriverInfo;
%ignore pycuda::driver_info;

// Device ------------------------------------------------------------------------------------------------------------------
PYCUDA_JAVA_INTEGER(CUdevice, jint, int)
%javamethodmodifiers pycuda::Device::handle ""
%ignore pycuda::Device::compute_capability;
%typemap(javacode) pycuda::Device %{

  /** Compute capability, as two attributes give it. */
  public Driver.ComputeCapability computeCapability() {
    return new Driver.ComputeCapability(getAttribute(DeviceAttribute.COMPUTE_CAPABILITY_MAJOR),
        getAttribute(DeviceAttribute.COMPUTE_CAPABILITY_MINOR));
  }

  /** Whether both are the same device. */
  @Override public boolean equals(Object other) {
    return other instanceof Device && ((Device) other).handle() == handle();
  }

  @Override public int hashCode() {
    return Integer.hashCode(handle());
  }
%}

// Context -----------------------------------------------------------------------------------------------------------------
%ignore pycuda::Context::handle;
%javamethodmodifiers pycuda::Context::current ""
%javamethodmodifiers pycuda::Context::current_or_null ""
%javamethodmodifiers pycuda::Context::is_valid ""
%javamethodmodifiers pycuda::Context::identity ""
%extend pycuda::Context {
    std::uint64_t identity() const { return reinterpret_cast<std::uintptr_t>($self); }
}
%typemap(javacode) pycuda::Context %{

  /** A context pushed for a block of code; {@link #close} pops it. */
  public static final class Scope implements AutoCloseable {
    private boolean open = true;

    private Scope() {}

    /** Pops the context, once. Call it on the thread that called {@link Context#pushed}. */
    @Override public void close() {
      if (open) {
        open = false;
        pop();
      }
    }
  }

  /** {@link #push}, undone by the scope: {@code try (var scope = context.pushed()) { ... }}. */
  public Scope pushed() {
    push();
    return new Scope();
  }

  /** Pops it if it is current on this thread, then detaches it. Does nothing when it is detached already. */
  @Override public synchronized void close() {
    if (isValid()) {
      detach();
    }
  }

  /** Whether it is the context current on this thread. */
  boolean isCurrent() {
    return equals(currentOrNull());
  }

  /** Whether both are the same driver context. */
  @Override public boolean equals(Object other) {
    return other instanceof Context && ((Context) other).identity() == identity();
  }

  @Override public int hashCode() {
    return Long.hashCode(identity());
  }
%}

// Stream ------------------------------------------------------------------------------------------------------------------
%rename(readHandle) pycuda::Stream::handle;
%rename(nativeSynchronize) pycuda::Stream::synchronize;
%rename(nativeIsDone) pycuda::Stream::is_done;
%rename(nativeClose) pycuda::Stream::close;
%javamethodmodifiers pycuda::Stream::handle "private"
%javamethodmodifiers pycuda::Stream::synchronize "private"
%javamethodmodifiers pycuda::Stream::is_done "private"
%javamethodmodifiers pycuda::Stream::close "private"
%javamethodmodifiers pycuda::Stream::drain "private"
%extend pycuda::Stream {
    // Waits, on whatever thread; failures are the business of whoever looks at the results.
    void drain() const {
        pycuda::CleanupScope scope(*$self->context());
        if (!scope) return;
        try {
            $self->synchronize();
        } catch (const pycuda::Error &) {
        }
    }
}
%typemap(javacode) pycuda::Stream %{

  /** Waits until everything queued so far is done (cuStreamSynchronize). */
  public void synchronize() {
    long queued = pending.mark();
    nativeSynchronize();
    pending.release(queued);
  }

  /** Whether everything queued is done (cuStreamQuery). Throws for real failures only. */
  public boolean isDone() {
    long queued = pending.mark();
    boolean done = nativeIsDone();
    if (done) {
      pending.release(queued);
    }
    return done;
  }

  /** The driver's handle. LogicError after close. */
  public long getHandle() {
    long value = handle;
    return value != 0 ? value : readHandle();
  }

  /** Destroys the stream (cuStreamDestroy). With host copies pending it waits for them first. A second call does nothing. */
  @Override public synchronized void close() {
    if (handle == 0) {
      return;
    }
    handle = 0;
    if (!pending.isEmpty()) {
      drain();
    }
    nativeClose();
    pending.releaseAll();
  }

  /** Keeps {@code data} reachable until the stream has passed what is queued now; device memory is freed then. */
  void keep(Object data) {
    pending.add(data);
  }
%}

// Event -------------------------------------------------------------------------------------------------------------------
%ignore pycuda::Event::handle;
%rename(nativeRecord) pycuda::Event::record;
%rename(nativeSynchronize) pycuda::Event::synchronize;
%javamethodmodifiers pycuda::Event::record "private"
%javamethodmodifiers pycuda::Event::synchronize "private"
%typemap(javacode) pycuda::Event %{

  /** Records it on the default stream (cuEventRecord). */
  public Event record() {
    return record(null);
  }

  /** Records it on {@code stream}; null is the default stream (cuEventRecord). */
  public Event record(Stream stream) {
    nativeRecord(stream);
    return this;
  }

  /** Waits until it is reached (cuEventSynchronize). */
  public Event synchronize() {
    nativeSynchronize();
    return this;
  }
%}

// DeviceAllocation --------------------------------------------------------------------------------------------------------
%javamethodmodifiers pycuda::DeviceAllocation::DeviceAllocation ""
%ignore pycuda::DeviceAllocation::free;
%rename(readPointer) pycuda::DeviceAllocation::pointer;
%rename(nativeClose) pycuda::DeviceAllocation::close;
%javamethodmodifiers pycuda::DeviceAllocation::pointer "private"
%javamethodmodifiers pycuda::DeviceAllocation::close "private"
%typemap(javacode) pycuda::DeviceAllocation %{

  /** The device address. LogicError after {@link #free}. */
  @Override public long getPointer() {
    long address = pointer;
    return address != 0 ? address : readPointer();
  }

  /** Frees the memory now (cuMemFree). A second call does nothing; any other use throws LogicError. */
  public void free() {
    close();
  }

  /** Same as {@link #free}. */
  @Override public synchronized void close() {
    pointer = 0;
    nativeClose();
  }
%}

// Module ------------------------------------------------------------------------------------------------------------------
%ignore pycuda::Module::handle;
%javamethodmodifiers pycuda::Module::from_file ""

// Function ----------------------------------------------------------------------------------------------------------------
// Function.java is hand-written over this proxy, which is no public API: varargs are nothing that SWIG can express.
%rename(FunctionProxy) pycuda::Function;
%typemap(javaclassmodifiers) pycuda::Function "abstract class"
%typemap(jstype) pycuda::Function "Function"
%typemap(javaout) pycuda::Function { return new Function($jnicall, true); }
%ignore pycuda::Function::handle;
%ignore pycuda::Function::module;
%rename(nativeName) pycuda::Function::name;
%rename(nativeGetAttribute) pycuda::Function::get_attribute;
%rename(nativeSetAttribute) pycuda::Function::set_attribute;
%rename(nativeSetCacheConfig) pycuda::Function::set_cache_config;
%rename(nativeSetSharedConfig) pycuda::Function::set_shared_config;
%javamethodmodifiers pycuda::Function::name ""
%javamethodmodifiers pycuda::Function::get_attribute ""
%javamethodmodifiers pycuda::Function::set_attribute ""
%javamethodmodifiers pycuda::Function::set_cache_config ""
%javamethodmodifiers pycuda::Function::set_shared_config ""
%javamethodmodifiers pycuda::Function::parameter_layout ""
%javamethodmodifiers pycuda::Function::prepare_slots ""
%javamethodmodifiers pycuda::Function::launch_packed ""
%javamethodmodifiers pycuda::Function::launch_packed_timed ""
%{
namespace pycuda_java {
pycuda::LaunchConfig launch_config(jint grid_x, jint grid_y, jint grid_z, jint block_x, jint block_y, jint block_z,
                                   jint shared_bytes, CUstream stream) {
    const auto u = [](jint value) { return static_cast<unsigned>(value); };
    return {{u(grid_x), u(grid_y), u(grid_z)}, {u(block_x), u(block_y), u(block_z)}, u(shared_bytes), stream};
}
}  // namespace pycuda_java
%}
%extend pycuda::Function {
    // Whether the layout is known, then offset and size of each parameter.
    std::vector<jint> parameter_layout() const {
        std::vector<jint> flat{$self->layout().known};
        for (const auto &parameter : $self->layout().parameters) {
            flat.push_back(static_cast<jint>(parameter.offset));
            flat.push_back(static_cast<jint>(parameter.size));
        }
        return flat;
    }
    // Bytes of the block, then type character, size and offset of each argument.
    std::vector<jint> prepare_slots(const std::string& types) const {
        std::vector<pycuda::Slot> slots;
        pycuda::append_slots(types, slots);
        std::vector<jint> flat{static_cast<jint>(pycuda::place_slots(slots, $self->layout()))};
        for (const pycuda::Slot &slot : slots)
            flat.insert(flat.end(), {pycuda::slot_character(slot), static_cast<jint>(slot.size), static_cast<jint>(slot.offset)});
        return flat;
    }
    void launch_packed(int grid_x, int grid_y, int grid_z, int block_x, int block_y, int block_z, int shared_bytes,
                       CUstream stream, const void *arguments, std::size_t nbytes) const {
        $self->launch(pycuda_java::launch_config(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream),
                      arguments, nbytes);
    }
    double launch_packed_timed(int grid_x, int grid_y, int grid_z, int block_x, int block_y, int block_z,
                               int shared_bytes, const void *arguments, std::size_t nbytes) const {
        return $self->launch_timed(
            pycuda_java::launch_config(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, nullptr), arguments,
            nbytes);
    }
}
