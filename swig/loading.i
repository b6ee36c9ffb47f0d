// What a language's own loader needs of the core.
PYCUDA_HEADER(loading)
