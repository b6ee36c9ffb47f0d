from pycuda.driver import Context, Device

context: Context
device: Device
