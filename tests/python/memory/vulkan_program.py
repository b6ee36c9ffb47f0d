"""As much of Vulkan as an exporter of memory and semaphores needs, by ctypes: Debian's libvulkan1 has the loader."""

import ctypes
from ctypes import POINTER, Structure, byref, c_char_p, c_float, c_int, c_uint32, c_uint64, c_void_p

OPAQUE_FD = 1  # VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT
DEVICE_LOCAL = 1  # VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
CPU = 4  # VK_PHYSICAL_DEVICE_TYPE_CPU
EXTENSIONS = b"VK_KHR_external_memory_fd", b"VK_KHR_external_semaphore_fd"


class NoVulkan(Exception):
    """There is no loader, or no device that can export."""


def structure(_name, **fields):
    """A Vulkan structure, whose type and pNext come first, where it has a type."""
    kind = fields.pop("type", None)
    head = [] if kind is None else [("sType", c_int), ("pNext", c_void_p)]
    made = type(_name, (Structure,), {"_fields_": head + list(fields.items())})
    if kind is None:
        return made

    def make(following=None, **values):
        record = made(kind, ctypes.addressof(following) if following else None, **values)
        record.following = following  # which lives as long
        return record
    make.structure = made
    return make


Application = structure("Application", type=0, name=c_char_p, version=c_uint32, engine=c_char_p, engine_version=c_uint32, api=c_uint32)
Instance = structure("Instance", type=1, flags=c_uint32, application=c_void_p, layer_count=c_uint32, layers=c_void_p, extension_count=c_uint32,
                     extensions=c_void_p)
Queue = structure("Queue", type=2, flags=c_uint32, family=c_uint32, count=c_uint32, priorities=c_void_p)
Device = structure("Device", type=3, flags=c_uint32, queue_count=c_uint32, queues=c_void_p, layer_count=c_uint32, layers=c_void_p,
                   extension_count=c_uint32, extensions=POINTER(c_char_p), features=c_void_p)
Identity = structure("Identity", type=1000071004, device=ctypes.c_uint8 * 16, driver=ctypes.c_uint8 * 16, luid=ctypes.c_uint8 * 8, mask=c_uint32,
                     has_luid=c_uint32)
Properties = structure("Properties", type=1000059001, numbers=c_uint32 * 5, rest=ctypes.c_uint8 * 2048)  # a part of them
Timelines = structure("Timelines", type=1000207000, timeline=c_uint32)  # VkPhysicalDeviceTimelineSemaphoreFeatures
Allocation = structure("Allocation", type=5, size=c_uint64, kind=c_uint32)
ExportedMemory = structure("ExportedMemory", type=1000072002, handles=c_uint32)
MemoryDescriptor = structure("MemoryDescriptor", type=1000074002, memory=c_uint64, handle=c_uint32)
Semaphore = structure("Semaphore", type=9, flags=c_uint32)
SemaphoreKind = structure("SemaphoreKind", type=1000207002, kind=c_int, value=c_uint64)
ExportedSemaphore = structure("ExportedSemaphore", type=1000077000, handles=c_uint32)
SemaphoreDescriptor = structure("SemaphoreDescriptor", type=1000079001, semaphore=c_uint64, handle=c_uint32)
Signal = structure("Signal", type=1000207005, semaphore=c_uint64, value=c_uint64)
MemoryKinds = structure("MemoryKinds", kind_count=c_uint32, kinds=c_uint32 * 64, heap_count=c_uint32, heaps=c_uint64 * 32)


def check(result, call):
    if result != 0:
        raise NoVulkan(f"{call} returned {result}")


class VulkanDevice:
    """The Vulkan device with the UUID of a CUDA device; without one, a device of Vulkan on the CPU, such as Mesa's lavapipe, whose memory the CPU
    device of this project can import, too."""

    def __init__(self, uuid=None):
        try:
            self._library = ctypes.CDLL("libvulkan.so.1")
        except OSError as error:
            raise NoVulkan(str(error)) from None
        application = Application(api=(1 << 22) | (2 << 12))  # Vulkan 1.2
        self._instance = c_void_p()
        check(self._library.vkCreateInstance(byref(Instance(application=ctypes.addressof(application))), None, byref(self._instance)),
              "vkCreateInstance")
        self._physical = self._find(uuid)
        self._device = c_void_p()
        if self._make(EXTENSIONS) != 0:  # lavapipe exports memory only
            check(self._make(EXTENSIONS[:1]), "vkCreateDevice")

    def _make(self, extensions):
        priority, timelines = c_float(1), Timelines(timeline=1)
        queue = Queue(count=1, priorities=ctypes.addressof(priority))
        device = Device(timelines, queue_count=1, queues=ctypes.addressof(queue), extension_count=len(extensions),
                        extensions=(c_char_p * len(extensions))(*extensions))
        return self._library.vkCreateDevice(self._physical, byref(device), None, byref(self._device))

    def _find(self, uuid):
        count = c_uint32()
        self._library.vkEnumeratePhysicalDevices(self._instance, byref(count), None)
        devices = (c_void_p * max(count.value, 1))()
        self._library.vkEnumeratePhysicalDevices(self._instance, byref(count), devices)
        for device in devices[:count.value]:
            identity = Identity()
            properties = Properties(identity)
            self._library.vkGetPhysicalDeviceProperties2(c_void_p(device), byref(properties))
            if properties.numbers[4] == CPU if uuid is None else bytes(identity.device) == uuid:
                return c_void_p(device)
        raise NoVulkan(f"none of the {count.value} Vulkan devices is the CUDA device")

    def _call(self, name, description, result):
        find = self._library.vkGetDeviceProcAddr
        find.restype = c_void_p
        address = find(self._device, name.encode())
        if not address:
            raise NoVulkan(f"the driver has no {name}")
        call = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)(address)
        check(call(self._device, ctypes.addressof(description), ctypes.addressof(result)), name)
        return result.value

    def allocate(self, nbytes):
        """Memory of the device, which can be exported."""
        kinds = MemoryKinds()
        self._library.vkGetPhysicalDeviceMemoryProperties(self._physical, byref(kinds))
        local = next(k for k in range(kinds.kind_count) if kinds.kinds[2 * k] & DEVICE_LOCAL)
        memory = c_uint64()
        description = Allocation(ExportedMemory(handles=OPAQUE_FD), size=nbytes, kind=local)
        check(self._library.vkAllocateMemory(self._device, byref(description), None, byref(memory)), "vkAllocateMemory")
        return memory.value

    def memory_descriptor(self, memory):
        """A new file descriptor of the memory, which belongs to the caller."""
        return self._call("vkGetMemoryFdKHR", MemoryDescriptor(memory=memory, handle=OPAQUE_FD), c_int())

    def semaphore(self, timeline):
        made, kind = c_uint64(), SemaphoreKind(ExportedSemaphore(handles=OPAQUE_FD), kind=int(timeline))
        check(self._library.vkCreateSemaphore(self._device, byref(Semaphore(kind)), None, byref(made)), "vkCreateSemaphore")
        return made.value

    def semaphore_descriptor(self, semaphore):
        """A new file descriptor of the semaphore, which belongs to the caller."""
        return self._call("vkGetSemaphoreFdKHR", SemaphoreDescriptor(semaphore=semaphore, handle=OPAQUE_FD), c_int())

    def value(self, timeline):
        value = c_uint64()
        check(self._library.vkGetSemaphoreCounterValue(self._device, c_uint64(timeline), byref(value)), "vkGetSemaphoreCounterValue")
        return value.value

    def signal(self, timeline, value):
        check(self._library.vkSignalSemaphore(self._device, byref(Signal(semaphore=timeline, value=value))), "vkSignalSemaphore")
