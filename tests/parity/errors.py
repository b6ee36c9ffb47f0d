"""Shows the error that each failure of a driver call becomes; Errors.java does the same.

The argument is the number of calls to make. PYCUDA_CPU_FAULTS makes each of them fail with a different code.
"""

import sys

import pycuda.driver as drv

drv.init()
context = drv.Device(0).make_context()
for _ in range(int(sys.argv[1])):
    try:
        drv.mem_get_info()
    except drv.Error as error:
        print("error", error.code, type(error).__name__, "|", error)
context.pop()
