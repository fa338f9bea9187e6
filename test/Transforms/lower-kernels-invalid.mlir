// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-lower-kernels)' --verify-diagnostics

// expected-error@+1 {{'gpu.module' k has no single #nvvm.target}}
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}
