"""Arrays that texture references read."""

import numpy as np

import pycuda.driver as drv

__all__ = ["TextureMethods"]


def _require_reference(texref):
    if not isinstance(texref, drv.TextureReference):
        raise TypeError(f"texref must be a TextureReference, not {type(texref).__name__}")


class TextureMethods:
    """The methods of GPUArray for texture references."""

    __slots__ = ()

    def bind_to_texref(self, texref, allow_offset=False):
        """Bind the array to a texture reference, for ``tex1Dfetch``.

        Parameters
        ----------
        texref : TextureReference
            The texture reference.
        allow_offset : bool, optional
            Whether the memory may be unaligned.

        Returns
        -------
        float
            Offset of the first element, in elements.

        Raises
        ------
        TypeError
            `texref` is not a texture reference.
        LogicError
            The memory is unaligned and `allow_offset` is false.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuTexRefSetAddress.
        """
        _require_reference(texref)
        return texref.set_address(self.gpudata, self.nbytes, allow_offset) / self.dtype.itemsize

    def bind_to_texref_ext(self, texref, channels=1, allow_double_hack=False, allow_complex_hack=False, allow_offset=False):
        """Bind the array to a texture reference, and set its format to the array's dtype.

        The hacks read doubles and complex numbers as integers, which ``fp_tex1Dfetch`` of pycuda-helpers.hpp combines.

        Parameters
        ----------
        texref : TextureReference
            The texture reference.
        channels : int, optional
            Channels per element: 1, 2 or 4.
        allow_double_hack : bool, optional
            Whether float64 is allowed.
        allow_complex_hack : bool, optional
            Whether complex numbers are allowed.
        allow_offset : bool, optional
            Whether the memory may be unaligned.

        Returns
        -------
        float
            Offset of the first element, in elements.

        Raises
        ------
        TypeError
            No texture format can hold the dtype.
        LogicError
            The memory is unaligned and `allow_offset` is false.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuTexRefSetAddress, cuTexRefSetFormat.
        """
        _require_reference(texref)
        hacks = {}
        if allow_double_hack:
            hacks[np.dtype(np.float64)] = (drv.array_format.SIGNED_INT32, 2)
        if allow_complex_hack:
            hacks[np.dtype(np.complex64)] = (drv.array_format.UNSIGNED_INT32, 2)
            hacks[np.dtype(np.complex128)] = (drv.array_format.SIGNED_INT32, 4)
        if self.dtype in hacks:
            if channels != 1:
                raise ValueError(f"dtype {self.dtype} fills all channels of a texture: channels must be 1, not {channels}")
            texture_format, channels = hacks[self.dtype]
            as_integer = True
        else:
            texture_format = drv.dtype_to_array_format(self.dtype)
            as_integer = self.dtype.kind in "iu"
        offset = texref.set_address(self.gpudata, self.nbytes, allow_offset)
        texref.set_format(texture_format, channels)
        if as_integer:
            texref.set_flags(texref.get_flags() | drv.TRSF_READ_AS_INTEGER)
        return offset / self.dtype.itemsize
