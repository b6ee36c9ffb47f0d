#define ISA_TABLE ops_v3
#define ISA_NAME "v3"
#define ISA_RARE 0
#include "exec/handlers/isa.hpp"
