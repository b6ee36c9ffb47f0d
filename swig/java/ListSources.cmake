# Writes the names of FOLDER's Java sources into LIST, one a line.
file(GLOB sources ${FOLDER}/*.java)
list(JOIN sources "\n" lines)
file(WRITE ${LIST} "${lines}\n")
