# Writes the kernels' texts, *.cu in DIR, to the header OUT: cmake -DDIR=... -DOUT=... -P EmbedKernels.cmake
#
# A file is cut into pieces, kernel_files::FILE::PIECE, by lines "//$ PIECE"; further lines that begin with "//$" are comments. A last line
# "//+" says that the piece ends without a line break.
file(GLOB files ${DIR}/*.cu)
list(SORT files)
set(header "// Of core/src/gpuarray/kernels, by EmbedKernels.cmake.\n#pragma once\n")
foreach(file ${files})
  cmake_path(GET file STEM name)
  file(READ ${file} text)
  string(FIND "${text}" "//$ " first)
  string(SUBSTRING "${text}" ${first} -1 text)  # without the file's title
  string(REGEX REPLACE "\n//\\+\n" "" text "${text}")
  string(REGEX REPLACE "//\\$     [^\n]*\n" "" text "${text}")
  string(REGEX REPLACE "//\\$ ([a-z_]+)\n" ")CUDA\";\ninline constexpr const char* \\1 = R\"CUDA(" text "${text}")
  string(SUBSTRING "${text}" 7 -1 text)  # the end of a piece before the first one
  string(APPEND header "\nnamespace pycuda::gpuarray::kernel_files::${name} {\n${text})CUDA\";\n}  // namespace pycuda::gpuarray::kernel_files::${name}\n")
endforeach()
file(WRITE ${OUT} "${header}")
