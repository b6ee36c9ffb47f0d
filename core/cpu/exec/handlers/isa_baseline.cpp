#define ISA_TABLE ops_baseline
#define ISA_NAME "baseline"
#include "exec/handlers/isa.hpp"
