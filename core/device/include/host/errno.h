#pragma once
#define EDOM 33
#define EINVAL 22
#define ENOENT 2
#define ENOMEM 12
#define ERANGE 34
