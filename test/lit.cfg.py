"""One suite: FileCheck tests under test/ and the GoogleTest programs."""
import os
import shutil
import sys

import lit.formats

config.name = "hwtune"
config.suffixes = [".mlir", ".test"]
config.excludes = ["inputs", "Inputs", "benchmark", "fuzz", "unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.hwtune_obj_root, "test")
config.test_format = lit.formats.ShTest(execute_external=False)

obj = config.hwtune_obj_root
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(obj, "bin"), config.llvm_tools_dir, os.environ.get("PATH", "")]
)
# Tests must not see a user's database, nor libdevice.
for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
    config.environment.pop(name, None)
config.environment["XDG_CACHE_HOME"] = os.path.join(obj, "test", "cache")

config.substitutions.append(("%hwtune_plugin", os.path.join(obj, "lib", "HWTune.so")))
config.substitutions.append(("%hwtune_lib", os.path.join(obj, "lib")))
config.substitutions.append(("%mlir_lib", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")))
config.substitutions.append(("%hwtune_src", config.hwtune_src_root))
config.substitutions.append(("%hwtune_obj", obj))
config.substitutions.append(("%shared_dir", config.hwtune_shared_dir))
config.substitutions.append(("%llvm_prefix", os.path.dirname(config.llvm_tools_dir)))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(
    ("%llvm_include", os.path.join(os.path.dirname(config.llvm_tools_dir), "include"))
)

# What a machine has; a test that needs it says REQUIRES.
if shutil.which("nvidia-smi"):
    config.available_features.add("nvidia-gpu")
if shutil.which("ptxas") or os.path.exists("/usr/local/cuda/bin/ptxas"):
    config.available_features.add("ptxas")
if shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"):
    config.available_features.add("nvcc")
if config.hwtune_shared_dir and os.path.isdir(config.hwtune_shared_dir):
    config.available_features.add("shared-data")
if lit_config.params.get("slow") == "1":
    config.available_features.add("slow")
if config.sanitize:
    config.available_features.add("sanitize")
    # LLVM's allocators poison what they hold, and the packages' libraries, which
    # are not instrumented, hand it out poisoned.
    config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0:detect_container_overflow=0"
lit_config.parallelism_groups["gpu"] = 1
