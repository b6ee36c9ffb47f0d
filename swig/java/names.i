// Java's names and signatures where they differ from C++'s.
PYCUDA_JAVA_HANDWRITTEN(Context)
PYCUDA_JAVA_HANDWRITTEN(CoreDumps)
PYCUDA_JAVA_HANDWRITTEN(Function)
PYCUDA_JAVA_HANDWRITTEN(Kernel)
PYCUDA_JAVA_HANDWRITTEN(Library)
PYCUDA_JAVA_HANDWRITTEN(PageLockedMemoryPool)
PYCUDA_JAVA_HANDWRITTEN(RegisteredHostMemory)
PYCUDA_JAVA_HANDWRITTEN(Stream)

%typemap(javaout) int pycuda::driver_version {
    int version = $jnicall;
    FallbackNotice.show();
    return version;
  }
%typemap(javaout) void pycuda::init {
    $jnicall;
    FallbackNotice.show();
  }

%typemap(javaout) std::shared_ptr<pycuda::Context> pycuda::Device::make_context {
    VirtualThreads.requirePinned("makeContext");
    return new Context($jnicall, true);
  }
%javamethodmodifiers pycuda::Context::current_or_null ""
%javamethodmodifiers pycuda::Context::is_valid ""
%javamethodmodifiers pycuda::Module::from_file ""
%typemap(javainterfaces) pycuda::Module "KernelModule"
%ignore pycuda::Function::module;
%ignore pycuda::RegisteredHostMemory::unregister;
// Functions of Driver make these.
%javamethodmodifiers pycuda::DeviceAllocation::DeviceAllocation ""
%javamethodmodifiers pycuda::ManagedAllocation::ManagedAllocation ""
PYCUDA_JAVA_LONG_RESULT(pycuda::ManagedAllocation::get_device_pointer)
PYCUDA_JAVA_LONG_RESULT(pycuda::TextureReference::get_address)
// Memory that was returned is closed in Java too.
%typemap(javaout) void pycuda::StreamOrderedAllocation::free_async {
    $jnicall;
    close();
  }

%rename(flagBits) pycuda::CoreDumps::flags;
%javamethodmodifiers pycuda::CoreDumps::flags "";
%rename(setFlagBits) pycuda::CoreDumps::set_flags;
%javamethodmodifiers pycuda::CoreDumps::set_flags "";
%rename(pipe) pycuda::CoreDumps::pipe_path;
%javamethodmodifiers pycuda::TensorMap::with_allocation_class "";
%rename(withClass) pycuda::TensorMap::with_allocation_class;

// A function that the driver calls.
%typemap(javainterfaces) pycuda::DriverCallback "AutoCloseable"
%javamethodmodifiers pycuda::DriverCallback::close "@Override public";

// Methods that take addresses call it.
%javamethodmodifiers pycuda::MemoryOperations::keep ""
%javamethodmodifiers pycuda::MemoryRanges::keep ""
%javamethodmodifiers pycuda::CopyBatch::keep ""

// Methods that copy host data are hand-written (Driver.java); these take addresses.
%javamethodmodifiers pycuda::memcpy_htod ""
%javamethodmodifiers pycuda::memcpy_htod_async ""
%javamethodmodifiers pycuda::memcpy_dtoh ""
%javamethodmodifiers pycuda::memcpy_dtoh_async ""

%extend pycuda::Device {
%proxycode %{
  /**
   * Calls a function when the process exceeds its budget of the device's memory (cuDeviceRegisterAsyncNotification), until the result is
   * closed. Needs a driver of CUDA 12.4.
   *
   * @param listener called with the number of bytes above the budget, on a thread of the driver; must return soon
   * @return the registration
   * @throws Driver.LogicError the system has no budgets
   */
  public DriverCallback onOverBudget(java.util.function.LongConsumer listener) {
    java.util.Objects.requireNonNull(listener, "listener");
    return DriverProxy.onOverBudget(this, new DriverFunction((bytes, unused) -> listener.accept(bytes)));
  }
%}
}

// Two objects of one device are equal.
%javamethodmodifiers pycuda::Device::identity "@Override"
%extend pycuda::Device {
    std::uint64_t identity() const { return static_cast<std::uint64_t>($self->handle()); }
}
