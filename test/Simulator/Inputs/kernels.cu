// What a compiler makes of C++ that people write: virtual calls, cooperative
// groups, grid synchronisation, wmma, malloc, large parameters, libdevice.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;

struct Shape {
  __device__ virtual float area(float x) const = 0;
};
struct Square : Shape {
  __device__ float area(float x) const override { return x * x; }
};
struct Twice : Shape {
  __device__ float area(float x) const override { return x * 2; }
};
extern "C" __global__ void virtualCall(float *out, int n) {
  Square square;
  Twice twice;
  const Shape *shape = n ? (const Shape *)&square : &twice;
  out[0] = shape->area(out[1]);
}

extern "C" __global__ void groupReduce(const int *in, int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0)
    atomicAdd(out, sum);
}

extern "C" __global__ void gridSync(int *x) {
  auto grid = cg::this_grid();
  x[grid.thread_rank()] = 1;
  grid.sync();
  if (grid.thread_rank() == 0) {
    int sum = 0;
    for (unsigned i = 0; i < grid.size(); ++i)
      sum += x[i];
    x[0] = sum;
  }
}

extern "C" __global__ void tensorCore(const half *a, const half *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 1.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

struct Big {
  float values[64];
};
extern "C" __global__ void bigParameter(Big big, float *out) {
  out[threadIdx.x] = big.values[63 - threadIdx.x];
}

extern "C" __global__ void heap(int *out) {
  int *own = (int *)malloc(16);
  own[threadIdx.x & 3] = threadIdx.x;
  out[threadIdx.x] = own[threadIdx.x & 3];
  free(own);
}

extern "C" __global__ void doubles(double *x) {
  double v = x[threadIdx.x];
  x[threadIdx.x] = sin(v) + sqrt(v) / 3.0 + fmod(v, 0.7) + exp(-v) + pow(v, 1.5);
}
