#include "module.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cornerturn/error.hpp>
#include <cornerturn/permute.hpp>
#include <exception>
#include <utility>
#include <vector>

#include "copy_counters.hpp"
#include "copy_rule.hpp"
#include "dtypes.hpp"
#include "huge_pages.hpp"
#include "torch_functions.hpp"

namespace cornerturn::python {
namespace {

using tensor = torch_functions::tensor;

/// One past the largest number of a dtype that is looked at.
constexpr std::size_t kDtypes = 64;

// Set while no kernel of this file is registered, thus constant while one runs.
torch_functions api;
std::array<copied_elements, kDtypes> elements_of_dtype;  // 0 bytes: a dtype that the library does not know
std::int32_t strided_layout;

std::array<torch_functions::library, 2> libraries;  // by copy_place; null: not registered

/// False if the kernels leave all copies to PyTorch. They stay registered then, because PyTorch cannot remove a kernel while
/// another thread may call it.
std::atomic<bool> is_on = false;

/// What a copy asks for, besides the modes.
struct torch_copy {
  tensor destination, source;
  std::int64_t elements;
  copied_elements from, to;
  std::int32_t device;
};

template <class Value>
Value read(int (*getter)(tensor, Value*), tensor of) {
  Value value{};
  getter(of, &value);
  return value;
}

copied_elements elements_of(tensor of) {
  auto const dtype = std::size_t(read(api.dtype, of));
  return dtype < kDtypes ? elements_of_dtype[dtype] : copied_elements{};
}

/// True if the tensor's elements are not its memory's: they are conjugated, negated or made on access; or if axes have names,
/// which a copy passes on.
bool is_lazy(tensor of) {
  return api.is_conj(of) || api.is_neg(of) || api.is_zero(of) || (api.has_names && api.has_names(*static_cast<void**>(of)));
}

/// True if both tensors are strided, on one device of this place and of the first one's shape.
template <copy_place Place>
bool are_alike(tensor a, tensor b, index_list shape) {
  auto const type = Place == copy_place::cpu ? api.device_type_cpu() : api.device_type_cuda();
  if (read(api.device_type, a) != type || read(api.device_type, b) != type) return false;
  if (read(api.device_index, a) != read(api.device_index, b)) return false;
  if (read(api.layout, a) != strided_layout || read(api.layout, b) != strided_layout) return false;
  return std::size_t(read(api.dim, b)) == shape.size() && std::equal(shape.begin(), shape.end(), read(api.sizes, b));
}

int torch_threads() {
  std::uint32_t threads = 1;
  return api.in_parallel_region() || api.num_threads(&threads) ? 1 : int(threads);
}

/// The number of bytes from the first element to the end of the last one.
std::uintptr_t span_of(copied_modes const& modes, std::array<std::int64_t, kMaxRank> const& strides, int bytes) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < modes.rank; ++i) last += (modes.extents[i] - 1) * strides[i];
  return std::uintptr_t((last + 1) * bytes);
}

/// Moves the elements, unless the memory of both sides overlaps. Throws what the library throws, before it changes an element or
/// for lack of memory.
template <copy_place Place>
copy_verdict move_elements(torch_copy const& asked, copied_modes const& modes) {
  void const* source = nullptr;
  void* destination = nullptr;
  if (api.const_data(asked.source, &source) || api.mutable_data(asked.destination, &destination)) return copy_verdict::lazy;
  if (!source || !destination) return copy_verdict::lazy;
  auto const read_from = std::uintptr_t(source), written_from = std::uintptr_t(destination);
  if (read_from < written_from + span_of(modes, modes.destination, asked.to.bytes) &&
      written_from < read_from + span_of(modes, modes.source, asked.from.bytes))
    return copy_verdict::repeated;

  copy_options options;
  if constexpr (Place == copy_place::cuda) {
    options = {.device = asked.device};
    if (api.cuda_stream(asked.device, &options.stream)) return copy_verdict::refused;
  } else {
    options = {.processor = processor_kind::cpu, .threads = torch_threads()};
    auto const bytes = std::uintptr_t(asked.elements * asked.to.bytes);
    if (span_of(modes, modes.destination, asked.to.bytes) == bytes) ask_for_huge_pages_if_new(destination, bytes);
  }
  auto const extents = modes.list(modes.extents), from = modes.list(modes.source), to = modes.list(modes.destination);
  if (keeps_bits(asked.from, asked.to))
    strided_copy(source, from, destination, to, extents, asked.to.bytes, options);
  else
    strided_copy(source, from, destination, to, extents, {asked.from.type, asked.to.type}, options);
  return copy_verdict::taken;
}

/// Copies with the library, or returns the reason why PyTorch must.
template <copy_place Place>
copy_verdict try_copy(tensor destination, tensor source, copy_counters& counters) {
  torch_copy asked{
      .destination = destination, .source = source, .elements = read(api.numel, destination), .to = elements_of(destination)};
  if (!read(api.is_defined, source)) return copy_verdict::lazy;
  asked.from = elements_of(source);
  if (asked.from.bytes == 0 || asked.to.bytes == 0) return copy_verdict::types;
  if (asked.elements * std::max(asked.from.bytes, asked.to.bytes) < least_copied_bytes(Place)) return copy_verdict::small;
  auto const rank = std::size_t(read(api.dim, destination));
  index_list const shape(read(api.sizes, destination), rank);
  if (!are_alike<Place>(destination, source, shape)) return copy_verdict::elsewhere;
  if (is_lazy(destination) || is_lazy(source)) return copy_verdict::lazy;

  copied_modes modes;
  if (!fuse_modes(shape, {read(api.strides, source), rank}, {read(api.strides, destination), rank}, modes))
    return copy_verdict::repeated;
  auto const verdict = judge_copy(Place, modes, asked.from, asked.to);
  if (verdict != copy_verdict::taken) return verdict;
  if constexpr (Place == copy_place::cuda) {
    asked.device = read(api.device_index, destination);
    if (counters.is_refused(asked.device)) return copy_verdict::refused;
  }
  try {
    auto const moved = move_elements<Place>(asked, modes);
    if (moved == copy_verdict::taken) counters.add_bytes(asked.elements * asked.to.bytes);
    return moved;
  } catch (error const& e) {
    counters.note_refusal(e.what());
    // The modes are valid, so the cause is the GPU, e.g. one without kernels, or its driver.
    if (Place == copy_place::cuda && e.kind() != error_kind::memory) counters.refuse(asked.device);
  } catch (std::exception const& e) {
    counters.note_refusal(e.what());
  }
  return copy_verdict::refused;
}

/// A tensor that the caller of a kernel hands over.
class owned_tensor {
 public:
  explicit owned_tensor(std::uint64_t given) : tensor_(reinterpret_cast<tensor>(given)) {}
  owned_tensor(owned_tensor const&) = delete;
  ~owned_tensor() {
    if (tensor_) api.delete_tensor(tensor_);
  }
  tensor get() const { return tensor_; }
  std::uint64_t release() { return reinterpret_cast<std::uint64_t>(std::exchange(tensor_, nullptr)); }

 private:
  tensor tensor_;
};

/// The kernel of aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking) -> Tensor(a!). PyTorch's exceptions pass through it.
template <copy_place Place>
void copy_kernel(std::uint64_t* stack, std::uint64_t, std::uint64_t) {
  owned_tensor destination(stack[0]), source(stack[1]);
  bool const non_blocking = stack[2] & 0xff;
  auto verdict = copy_verdict::refused;
  if (is_on.load(std::memory_order_relaxed)) {
    auto& counters = counters_of(Place);
    verdict = try_copy<Place>(destination.get(), source.get(), counters);
    counters.count(verdict);
  }
  if (verdict != copy_verdict::taken) api.copy(destination.get(), source.get(), non_blocking);
  stack[0] = destination.release();
}

void detach() {
  for (auto& library : libraries)
    if (library) api.delete_library(std::exchange(library, nullptr));
}

void switch_copies(bool on) {
  if (on)
    for (auto const place : {copy_place::cpu, copy_place::cuda}) counters_of(place).reset();
  is_on = on;
}

bool attach_kernel(copy_place place, torch_functions::kernel kernel) {
  auto& library = libraries[std::size_t(place)];
  char const* const key = place == copy_place::cpu ? "CPU" : "CUDA";
  return !api.library_init_impl("aten", key, "cornerturn", __LINE__, &library) && !api.library_impl(library, "copy_", kernel);
}

void read_dtypes() {
  elements_of_dtype = {};
  for (auto const& each : kElementTypes)
    if (auto const number = std::size_t(torch_dtype_number(std::string(each.dtype))); number < kDtypes)
      elements_of_dtype[number] = {each.type, each.bytes};
}

/// Registers the kernels that override aten::copy_ on the CPU and, if asked for, on CUDA. Returns an empty text, or the reason
/// why nothing has changed.
std::string attach(bool with_cuda, bool has_named_tensors) {
  if (auto const problem = find_torch_functions(api, {.cuda = with_cuda, .named_tensors = has_named_tensors}); !problem.empty())
    return problem;
  read_dtypes();
  strided_layout = api.layout_strided();
  if (attach_kernel(copy_place::cpu, copy_kernel<copy_place::cpu>) &&
      (!with_cuda || attach_kernel(copy_place::cuda, copy_kernel<copy_place::cuda>)))
    return {};
  detach();
  return "its dispatcher accepts no kernel of aten::copy_";
}

copy_place place_named(std::string const& name) { return name == "cpu" ? copy_place::cpu : copy_place::cuda; }

/// A dict of the number of copies per verdict, with `bytes` for those taken and `refusal` for the first error.
nb::dict counts(std::string const& place) {
  auto const& counters = counters_of(place_named(place));
  nb::dict result;
  for (std::size_t i = 0; i < copy_verdict_names.size(); ++i) result[copy_verdict_names[i]] = counters.copies(copy_verdict(i));
  result["bytes"] = counters.bytes();
  result["refusal"] = counters.refusal();
  return result;
}

copied_elements elements_named(std::string const& dtype) {
  auto const* const row = row_of_dtype(dtype);
  return {row->type, row->bytes};
}

/// The verdict on a copy between layouts, given by their shape and strides, of dtypes of these names. Tests ask it for CUDA.
char const* judge(std::string const& place, std::vector<std::int64_t> const& extents, std::vector<std::int64_t> const& source,
                  std::vector<std::int64_t> const& destination, std::string const& from, std::string const& to) {
  copied_modes modes;
  auto const verdict = fuse_modes(extents, source, destination, modes)
                           ? judge_copy(place_named(place), modes, elements_named(from), elements_named(to))
                           : copy_verdict::repeated;
  return copy_verdict_names[std::size_t(verdict)];
}

}  // namespace

void add_copy_override(nb::module_& m) {
  m.def("_attach_torch_copies", &attach, nb::arg("with_cuda"), nb::arg("has_named_tensors"));
  m.def("_detach_torch_copies", &detach);
  m.def("_torch_copies", &counts, nb::arg("place"));
  m.def("_switch_torch_copies", &switch_copies, nb::arg("on"));
  m.def("_judge_torch_copy", &judge);
}

}  // namespace cornerturn::python
