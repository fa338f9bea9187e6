//===- LiveDevice.cpp -----------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Target/LiveDevice.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/TargetFields.h"

#include <fmt/format.h>

#include <cctype>

using namespace hwtune;
using cuda::DeviceAttribute;

namespace {

constexpr const char *kLiveNote = "read from the driver";
constexpr double kDataRate = 2; // DDR: the reported clock, twice
constexpr double kKHzPerMHz = 1000;

/// A field the driver tells, and how its number becomes ours.
struct LiveField {
  std::string_view field;
  DeviceAttribute attribute;
  double divisor = 1;
};

constexpr LiveField kLiveFields[] = {
    {"warp_size", DeviceAttribute::WarpSize},
    {"max_threads_per_block", DeviceAttribute::MaxThreadsPerBlock},
    {"max_threads_per_sm", DeviceAttribute::MaxThreadsPerMultiprocessor},
    {"max_blocks_per_sm", DeviceAttribute::MaxBlocksPerMultiprocessor},
    {"registers_per_sm", DeviceAttribute::MaxRegistersPerMultiprocessor},
    {"registers_per_block", DeviceAttribute::MaxRegistersPerBlock},
    {"shared_per_sm", DeviceAttribute::MaxSharedMemoryPerMultiprocessor},
    {"shared_per_block", DeviceAttribute::MaxSharedMemoryPerBlock},
    {"shared_per_block_optin", DeviceAttribute::MaxSharedMemoryPerBlockOptin},
    {"shared_reserved_per_block",
     DeviceAttribute::ReservedSharedMemoryPerBlock},
    {"max_grid_x", DeviceAttribute::MaxGridDimX},
    {"max_grid_y", DeviceAttribute::MaxGridDimY},
    {"max_grid_z", DeviceAttribute::MaxGridDimZ},
    {"max_block_x", DeviceAttribute::MaxBlockDimX},
    {"max_block_y", DeviceAttribute::MaxBlockDimY},
    {"max_block_z", DeviceAttribute::MaxBlockDimZ},
    {"sm_count", DeviceAttribute::MultiprocessorCount},
    {"clock_mhz", DeviceAttribute::ClockRate, kKHzPerMHz},
    {"memory_clock_mhz", DeviceAttribute::MemoryClockRate, kKHzPerMHz},
    {"l2_bytes", DeviceAttribute::L2CacheSize},
    {"dram_bus_bits", DeviceAttribute::GlobalMemoryBusWidth},
};

std::string uuidText(const cuda::Uuid &uuid) {
  std::string out = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      out += '-';
    out += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return out;
}

std::string kebab(std::string_view name) {
  std::string out;
  for (unsigned char c : name)
    if (std::isalnum(c))
      out += static_cast<char>(std::tolower(c));
    else if (!out.empty() && out.back() != '-')
      out += '-';
  out.resize(std::min<size_t>(out.size(), 60));
  while (!out.empty() && out.back() == '-')
    out.pop_back();
  return out.empty() ? "gpu" : out;
}

/// What the description starts from, before the driver's numbers go over it.
TargetSpec baseSpec(const std::string &knownId, int capability,
                    std::string_view name) {
  TargetSpec spec;
  std::string from = knownId.empty() ? knownTargetIdLike(capability) : knownId;
  if (!from.empty())
    if (Expected<TargetSpec> known = knownTarget(from))
      spec = *known;
  if (!knownId.empty())
    return spec;
  // A relative's numbers stay, marked as such.
  for (auto &[field, provenance] : spec.basis)
    provenance = {Basis::Proxy, from};
  spec.defaultBasis = {Basis::Proxy, from};
  spec.id = kebab(name);
  spec.name = name;
  spec.vendor = "nvidia";
  spec.arch = fmt::format("sm_{}", capability);
  return spec;
}

/// Numbers that follow from those the driver told.
void deriveRest(TargetSpec &spec, bool known) {
  spec.maxWarpsPerSM =
      (spec.maxThreadsPerSM + spec.warpSize - 1) / spec.warpSize;
  if (spec.sharedCarveouts.empty() ||
      spec.sharedCarveouts.back() != spec.sharedPerSM) {
    std::erase_if(spec.sharedCarveouts,
                  [&](int64_t c) { return c >= spec.sharedPerSM; });
    spec.sharedCarveouts.push_back(spec.sharedPerSM);
  }
  spec.l1PlusShared = std::max(spec.l1PlusShared, spec.sharedPerSM);
  if (spec.sharedAllocUnit <= 0)
    spec.sharedAllocUnit = 1;
  // Published bandwidths are better than clock times width, if we have one.
  if (!known && spec.memoryClockMHz && spec.dramBusBits) {
    spec.dramGBs = *spec.memoryClockMHz * 1e6 * kDataRate *
                   static_cast<double>(*spec.dramBusBits) / 8 / 1e9;
    spec.basis["dram_gbs"] = {Basis::Derived, "memory clock times bus width"};
  }
}

} // namespace

Expected<LiveDevice> hwtune::readLiveDevice(const DriverTable &driver,
                                            int ordinal) {
  int count = 0;
  cuda::Device device = 0;
  if (Status s = driver.check(driver.cuInit(0), "cuInit"); !s)
    return s.error();
  if (Status s =
          driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
      !s)
    return s.error();
  if (ordinal < 0 || ordinal >= count)
    return Error{fmt::format("there is no device {}: the driver `{}` knows {} "
                             "device{}",
                             ordinal, driver.path, count,
                             count == 1 ? "" : "s"),
                 ""};
  if (Status s =
          driver.check(driver.cuDeviceGet(&device, ordinal), "cuDeviceGet");
      !s)
    return s.error();

  LiveDevice live;
  char name[256] = {};
  if (Status s =
          driver.check(driver.cuDeviceGetName(name, sizeof name - 1, device),
                       "cuDeviceGetName");
      !s)
    return s.error();
  live.name = name;
  driver.cuDriverGetVersion(&live.driverVersion);
  cuda::Uuid uuid;
  if (driver.cuDeviceGetUuid &&
      driver.cuDeviceGetUuid(&uuid, device) == cuda::Result::Success)
    live.uuid = uuidText(uuid);

  auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    return driver.cuDeviceGetAttribute(&value, which, device) ==
                   cuda::Result::Success
               ? value
               : 0;
  };
  int capability = 10 * attribute(DeviceAttribute::ComputeCapabilityMajor) +
                   attribute(DeviceAttribute::ComputeCapabilityMinor);
  size_t memory = 0;
  driver.cuDeviceTotalMem(&memory, device);
  live.knownId =
      knownTargetIdFor(live.name, capability, static_cast<int64_t>(memory));
  live.spec = baseSpec(live.knownId, capability, live.name);
  for (const LiveField &f : kLiveFields) {
    int value = attribute(f.attribute);
    if (value <= 0) // not told by this driver
      continue;
    const TargetField *field = findTargetField(f.field);
    if (Status s = setField(live.spec, *field, value / f.divisor); !s)
      return s.error();
    live.spec.basis[std::string(f.field)] = {Basis::VendorTable, kLiveNote};
  }
  if (memory) {
    live.spec.dramBytes = static_cast<int64_t>(memory);
    live.spec.basis["dram_bytes"] = {Basis::VendorTable, kLiveNote};
  }
  deriveRest(live.spec, !live.knownId.empty());
  if (Status s = validate(live.spec); !s)
    return Error{fmt::format("device `{}` (compute capability {}.{}) cannot be "
                             "described: {}; write a description file for it",
                             live.name, capability / 10, capability % 10,
                             s.error().message),
                 ""};
  return live;
}
