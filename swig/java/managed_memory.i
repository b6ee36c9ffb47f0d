// What takes the ordinal of a device takes the Device as well, as in Python.
%inline %{
namespace pycuda {
inline void mem_advise(DevicePtr devptr, std::size_t count, MemAdvice advice, const Device& device) {
    mem_advise(devptr, count, advice, device.handle());
}
inline void mem_prefetch_async(DevicePtr devptr, std::size_t count, const Device& device, const Stream *stream = nullptr) {
    mem_prefetch_async(devptr, count, device.handle(), stream);
}
inline bool mem_range_is_accessed_by(DevicePtr devptr, std::size_t count, const Device& device) {
    return mem_range_is_accessed_by(devptr, count, device.handle());
}
}  // namespace pycuda
%}
%extend pycuda::ManagedAllocation {
    void advise(pycuda::MemAdvice advice, const pycuda::Device& device) { $self->advise(advice, device.handle()); }
    void prefetch_async(const pycuda::Device& device, const pycuda::Stream *stream = nullptr) { $self->prefetch_async(device.handle(), stream); }
}
%extend pycuda::MemoryRanges {
    void prefetch(const pycuda::Device& device, const pycuda::Stream& stream) { $self->prefetch(device.handle(), stream); }
    void discard_and_prefetch(const pycuda::Device& device, const pycuda::Stream& stream) { $self->discard_and_prefetch(device.handle(), stream); }
}
