#include "Ops.h"
namespace hwtune::exec {
void addHalfOps(Registry &) {}
void addSpecialOps(Registry &) {}
void addRoundingOps(Registry &) {}
void addVideoOps(Registry &) {}
void addAtomicOps(Registry &) {}
void addMatrixOps(Registry &) {}
void addBuiltinOps(Registry &) {}
}
