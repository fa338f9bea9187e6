#include "../ExecHarness.h"
