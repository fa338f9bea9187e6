// Compiled by
//   clang-22 -x cuda -nocudainc -nocudalib --cuda-device-only
//     --cuda-gpu-arch=sm_70 -O1 -ffp-contract=off -S terms.cu -o terms.ptx

#define DEVICE __attribute__((device))

struct Series {
  double coefficients[5];
  int terms;
};

template <int N> struct Power {
  static DEVICE double of(double x) { return x * Power<N - 1>::of(x); }
};
template <> struct Power<0> {
  static DEVICE double of(double) { return 1; }
};

using Term = double (*)(double);
DEVICE Term powers[5] = {Power<0>::of, Power<1>::of, Power<2>::of,
                         Power<3>::of, Power<4>::of};

/// Recursive, called through a table, and with a structure by value.
DEVICE __attribute__((noinline)) double sum(const Series &series, int i,
                                            double x) {
  if (i == series.terms)
    return 0;
  return series.coefficients[i] * powers[i](x) + sum(series, i + 1, x);
}

/// out[i] = the series at x[i], and the sum of that over the warp.
extern "C" __attribute__((global)) void series(double *out, double *warps,
                                               const double *x, Series series) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
          __nvvm_read_ptx_sreg_tid_x();
  double value = sum(series, 0, x[i]);
  out[i] = value;
  for (int step = 16; step; step /= 2) {
    long long bits = __builtin_bit_cast(long long, value);
    unsigned low = __nvvm_shfl_sync_bfly_i32(~0u, int(bits), step, 31);
    unsigned high = __nvvm_shfl_sync_bfly_i32(~0u, int(bits >> 32), step, 31);
    value += __builtin_bit_cast(double, (unsigned long long)high << 32 | low);
  }
  if (__nvvm_read_ptx_sreg_tid_x() % 32 == 0)
    warps[i / 32] = value;
}
