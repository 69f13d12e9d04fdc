// SPDX-License-Identifier: Apache-2.0
// Distinct integer types for the things that are numbered, and vectors that can only be indexed by the right one.
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

namespace partita {

// The number of a thing of kind Tag: dense, from 0. A default-made id names nothing.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value_(static_cast<std::int32_t>(index)) {}

  constexpr bool valid() const { return value_ >= 0; }
  constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
  constexpr auto operator<=>(const Id&) const = default;
  constexpr Id& operator++() {
    ++value_;
    return *this;
  }

 private:
  std::int32_t value_ = -1;
};

using NodeId = Id<struct NodeTag>;      // an operator of the input graph
using DeviceId = Id<struct DeviceTag>;  // one device of the platform
using ClassId = Id<struct ClassTag>;    // a class of equal devices
using GroupId = Id<struct GroupTag>;    // nodes that share a device, in a reduced graph
using NetId = Id<struct NetTag>;        // one transferable output and everything that touches it

// All ids from 0 up to a count: `for (NodeId v : ids<NodeId>(n))`.
template <class IdT>
class IdRange {
 public:
  class Iterator {
   public:
    explicit constexpr Iterator(IdT id) : id_(id) {}
    constexpr IdT operator*() const { return id_; }
    constexpr Iterator& operator++() {
      ++id_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    IdT id_;
  };
  explicit constexpr IdRange(std::size_t count) : count_(count) {}
  constexpr Iterator begin() const { return Iterator(IdT(0)); }
  constexpr Iterator end() const { return Iterator(IdT(count_)); }

 private:
  std::size_t count_;
};

template <class IdT>
constexpr IdRange<IdT> ids(std::size_t count) {
  return IdRange<IdT>(count);
}

// A std::vector that only IdT can index.
template <class IdT, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t count, const T& value = T()) : items_(count, value) {}
  IdVector(std::initializer_list<T> items) : items_(items) {}

  typename std::vector<T>::reference operator[](IdT id) {
    assert(id.index() < items_.size());
    return items_[id.index()];
  }
  typename std::vector<T>::const_reference operator[](IdT id) const {
    assert(id.index() < items_.size());
    return items_[id.index()];
  }
  IdT push_back(T item) {
    items_.push_back(std::move(item));
    return IdT(items_.size() - 1);
  }
  void assign(std::size_t count, const T& value) { items_.assign(count, value); }
  void resize(std::size_t count, const T& value = T()) { items_.resize(count, value); }
  void reserve(std::size_t count) { items_.reserve(count); }
  void clear() { items_.clear(); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  IdRange<IdT> all() const { return IdRange<IdT>(items_.size()); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  bool operator==(const IdVector&) const = default;

 private:
  std::vector<T> items_;
};

}  // namespace partita

template <class Tag>
struct std::hash<partita::Id<Tag>> {
  std::size_t operator()(partita::Id<Tag> id) const noexcept { return std::hash<std::size_t>()(id.index()); }
};
