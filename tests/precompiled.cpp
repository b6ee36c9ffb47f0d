// Nothing: the program is there for its precompiled headers. GoogleTest has main.
