"""The program on the documentation's welcome page, unchanged."""

WELCOME = '''
import pycuda.autoinit
import pycuda.driver as drv
import numpy

from pycuda.compiler import SourceModule
mod = SourceModule("""
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
""")

multiply_them = mod.get_function("multiply_them")

a = numpy.random.randn(400).astype(numpy.float32)
b = numpy.random.randn(400).astype(numpy.float32)

dest = numpy.zeros_like(a)
multiply_them(
        drv.Out(dest), drv.In(a), drv.In(b),
        block=(400,1,1), grid=(1,1))

print(dest-a*b)
'''


def test_welcome_program(run_python):
    done = run_python(WELCOME)
    assert done.returncode == 0, done.stderr
    numbers = done.stdout.replace("[", " ").replace("]", " ").split()
    assert len(numbers) == 400 and set(map(float, numbers)) == {0.0}
    assert done.stderr == "" or "UserWarning" in done.stderr


def test_it_computes_something(run_python):
    done = run_python(WELCOME + "print(abs(dest).max() > 0.1)")
    assert done.stdout.rstrip().endswith("True"), done.stderr
