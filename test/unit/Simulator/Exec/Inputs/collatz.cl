// Compiled by
//   clang-22 -x cl -cl-std=CL2.0 --target=nvptx64-nvidia-cuda -march=sm_70
//     -O2 -S collatz.cl -o collatz.ptx

#define BINS 16

static uint steps(ulong n) {
  uint count = 0;
  for (; n != 1; ++count)
    n = n % 2 ? 3 * n + 1 : n / 2;
  return count;
}

/// Of the numbers from `first` on, one a thread: how many of a block's need `b`
/// modulo BINS steps down to 1, and the most that any of the grid needs.
kernel void collatz(global uint *histogram, global atomic_uint *most,
                    uint first) {
  local atomic_uint bins[BINS];
  uint thread = __nvvm_read_ptx_sreg_tid_x();
  uint block = __nvvm_read_ptx_sreg_ctaid_x();
  if (thread < BINS)
    __opencl_atomic_init(&bins[thread], 0);
  __syncthreads();
  uint count = steps(first + block * __nvvm_read_ptx_sreg_ntid_x() + thread);
  __opencl_atomic_fetch_add(&bins[count % BINS], 1, __ATOMIC_RELAXED,
                            __OPENCL_MEMORY_SCOPE_WORK_GROUP);
  __opencl_atomic_fetch_max(most, count, __ATOMIC_RELAXED,
                            __OPENCL_MEMORY_SCOPE_DEVICE);
  __syncthreads();
  if (thread < BINS)
    histogram[block * BINS + thread] = __opencl_atomic_load(
        &bins[thread], __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
}
