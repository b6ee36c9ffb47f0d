# The tools that generate and test: Python (also what the extension is built for) and SWIG. The project's virtual environment
# comes first; PYCUDA_SWIG and PYCUDA_SWIG_LIB name a SWIG that was carried to a host that has none.
set(_venv ${PROJECT_SOURCE_DIR}/.venv/bin)
if(NOT Python3_EXECUTABLE AND EXISTS ${_venv}/python)
  set(Python3_EXECUTABLE ${_venv}/python CACHE FILEPATH "Python to build for")
endif()
if(PYCUDA_BUILD_PYTHON AND WIN32)  # the tools' Python is this machine's
  find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
  file(GLOB PYCUDA_WINDOWS_HOME ${PYCUDA_WINDOWS_ROOT}/pythons/${PYCUDA_WINDOWS_PYTHON}.*/org/bytedeco/cpython/windows-x86_64)
  string(REPLACE . "" _version ${PYCUDA_WINDOWS_PYTHON})
  set(Python3_SOABI cp${_version}-win_amd64)
  set(PYCUDA_MODULE_SUFFIX .${Python3_SOABI}.pyd)
  set(Python3_INCLUDE_DIRS ${PYCUDA_WINDOWS_HOME}/include)
  add_library(Python3::Module UNKNOWN IMPORTED)
  set_target_properties(Python3::Module PROPERTIES IMPORTED_LOCATION ${PYCUDA_WINDOWS_HOME}/libs/python${_version}.lib)
elseif(PYCUDA_BUILD_PYTHON)
  find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
  if(CMAKE_CROSSCOMPILING)  # CMake does not ask an interpreter of another machine, although qemu runs it
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_config_var('SOABI'))"
      OUTPUT_VARIABLE Python3_SOABI OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(PYCUDA_MODULE_SUFFIX .${Python3_SOABI}.so)
else()
  find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
endif()
set(PYCUDA_PYTHON ${Python3_EXECUTABLE} CACHE FILEPATH "The Python that tests run with")

if(PYCUDA_BUILD_PYTHON OR PYCUDA_BUILD_JAVA)
  # Releases of SWIG from 4.4.0 on convert proxies ten times slower; 4.3.1 is what the project pins.
  find_program(PYCUDA_SWIG swig HINTS ${_venv} REQUIRED DOC "SWIG 4.3.1")
  set(PYCUDA_SWIG_LIB "" CACHE PATH "SWIG's library folder, where the swig executable does not know it")
  set(PYCUDA_SWIG_COMMAND ${PYCUDA_SWIG})
  if(PYCUDA_SWIG_LIB)
    set(PYCUDA_SWIG_COMMAND ${CMAKE_COMMAND} -E env SWIG_LIB=${PYCUDA_SWIG_LIB} ${PYCUDA_SWIG})
  endif()
endif()
