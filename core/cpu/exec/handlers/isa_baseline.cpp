#define ISA_TABLE ops_baseline
#define ISA_NAME "baseline"
#define ISA_RARE 1
#include "exec/handlers/isa.hpp"
