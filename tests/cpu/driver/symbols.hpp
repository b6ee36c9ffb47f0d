#pragma once

/// The address of a symbol in the driver that the tests run on; null when it has none.
void* driver_symbol(const char* name);
