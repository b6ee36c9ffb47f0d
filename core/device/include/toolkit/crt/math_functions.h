// Its contents are NVRTC's own.
#pragma once
