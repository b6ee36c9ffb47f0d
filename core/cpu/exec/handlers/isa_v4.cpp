#define ISA_TABLE ops_v4
#define ISA_NAME "v4"
#define ISA_RARE 0
#include "exec/handlers/isa.hpp"
