// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "partita/check/describe.h"
#include "partita/read/platform.h"
#include "partita/read/presets.h"
#include "partita/read/quantity.h"
#include "partita/report/platform_json.h"
#include "partita/util/json_writer.h"
#include "partita/util/machine_memory.h"
#include "python/bindings/bind.h"
#include "python/bindings/handles.h"

namespace partita::python {
namespace {

using Handle = std::shared_ptr<PlatformHandle>;

Handle handle_of(PlatformSpec spec, std::string text) {
  auto handle = std::make_shared<PlatformHandle>();
  handle->overrides.platform = std::move(spec);
  handle->text = std::move(text);
  return handle;
}

Handle composed(const std::string& text) { return handle_of(compose_platform(text), text); }

Handle from_file(const std::string& path, bool strict) {
  return handle_of(read_platform(path, {.strict = strict}), path);
}

Handle from_text(const std::string& json, const std::string& source) {
  return handle_of(parse_platform(json, source), source);
}

// Numbers that take the place of the graph's own, or of those of the platform they are applied to.
Handle with_numbers(const PlatformHandle& base, std::optional<int> accelerators, std::optional<double> memory,
                    std::optional<int> hosts, std::optional<double> sync_bandwidth, const std::string& clusters) {
  auto handle = std::make_shared<PlatformHandle>(base);
  PlatformOverrides& overrides = handle->overrides;
  if (accelerators) overrides.accelerators = checked_count(*accelerators, "accelerators");
  if (memory) overrides.memory = checked_memory(*memory);
  if (hosts) overrides.hosts = checked_count(*hosts, "hosts");
  if (sync_bandwidth) overrides.sync_bandwidth = sync_bandwidth;
  if (!clusters.empty()) overrides.clusters = detail::known_clusters(clusters);
  if (overrides.platform) {
    override_devices(overrides, overrides.platform->platform);
    override_links(overrides, *overrides.platform);
    overrides = {.platform = std::move(overrides.platform)};
  }
  return handle;
}

nb::list presets() {
  nb::list rows;
  const auto add = [&rows](const char* kind, const std::string& name, const std::string& label) {
    rows.append(nb::make_tuple(kind, name, label));
  };
  for (const DevicePreset& preset : device_presets()) add("device", preset.name, preset.label);
  for (const LinkPreset& preset : link_presets()) add("link", preset.name, preset.label);
  for (const ServerPreset& preset : server_presets()) add("server", preset.name, preset.label);
  return rows;
}

nb::list classes(const PlatformHandle& handle) {
  nb::list rows;
  if (!handle.overrides.platform) return rows;
  for (const DeviceClass& one : handle.overrides.platform->platform.classes)
    rows.append(nb::make_tuple(one.name, to_string(one.kind), one.count, one.memory));
  return rows;
}

std::string as_json(const PlatformSpec& spec) {
  detail::JsonWriter json(detail::JsonLayout::Rows);
  detail::write_platform(spec, json);
  return json.take();
}

}  // namespace

void bind_platforms(nb::module_& module) {
  nb::class_<PlatformHandle>(module, "Platform")
      .def_static("composed", &composed, nb::arg("text"))
      .def_static("read", &from_file, nb::arg("path"), nb::arg("strict") = false)
      .def_static("parse", &from_text, nb::arg("json"), nb::arg("source"))
      .def_static("none", [] { return std::make_shared<PlatformHandle>(); })
      .def("with_numbers", &with_numbers, nb::arg("accelerators").none(), nb::arg("memory").none(),
           nb::arg("hosts").none(), nb::arg("sync_bandwidth").none(), nb::arg("clusters"))
      .def_prop_ro("text", [](const PlatformHandle& handle) { return handle.text; })
      .def_prop_ro("whole", [](const PlatformHandle& handle) { return handle.overrides.platform.has_value(); })
      .def_prop_ro("physical",
                   [](const PlatformHandle& handle) {
                     return handle.overrides.platform && is_physical(*handle.overrides.platform);
                   })
      .def_prop_ro("numbers",
                   [](const PlatformHandle& handle) {
                     const PlatformOverrides& overrides = handle.overrides;
                     return nb::make_tuple(overrides.accelerators, overrides.memory, overrides.hosts);
                   })
      .def("classes", &classes)
      .def("describe",
           [](const PlatformHandle& handle) { return detail::describe_devices(handle.overrides.platform->platform); })
      .def("json", [](const PlatformHandle& handle) { return as_json(*handle.overrides.platform); });
  module.def("platform_presets", &presets);
  module.def("parse_bytes", [](const std::string& text) { return detail::parse_bytes(text); });
  module.def("parse_seconds", [](const std::string& text) { return detail::parse_seconds(text); });
  module.def("machine_memory", &detail::machine_memory);
}

}  // namespace partita::python
