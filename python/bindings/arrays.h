// SPDX-License-Identifier: Apache-2.0
// NumPy arrays out of vectors, and the kinds of arrays that are taken in.
#pragma once

#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "python/bindings/bind.h"

namespace partita::python {

template <class T>
using OneDimensional = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using TwoDimensional = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The array owns what was in the vector; nothing is copied.
template <class T>
nb::ndarray<nb::numpy, T> numpy_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return nb::ndarray<nb::numpy, T>(kept->data(), shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> numpy_array(std::vector<T> values) {
  const std::size_t size = values.size();
  return numpy_array(std::move(values), {size});
}

}  // namespace partita::python
