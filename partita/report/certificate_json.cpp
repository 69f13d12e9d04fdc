// SPDX-License-Identifier: Apache-2.0
#include "partita/report/certificate_json.h"

#include <cstddef>

#include "partita/report/json_parts.h"

namespace partita::detail {
namespace {

constexpr int kCertificateVersion = 2;

void add_devices_of_certificate(const Certificate::Devices& devices, JsonWriter& json) {
  json.field("class", devices.name.value_or(""));
  json.field("memory_toll", devices.memory_toll);
  if (!devices.most) return;
  json.field("theta", devices.theta);
  json.field("buckets", devices.buckets);
  json.field("most", *devices.most);
}

}  // namespace

std::string certificate_json(const Problem& problem, const Certificate& certificate) {
  JsonWriter json(JsonLayout::Pretty);
  json.object([&] {
    add_format("certificate", kCertificateVersion, json);
    json.field("workload", problem.workload->name);
    json.field("limit", certificate.limit);
    json.key("weights").object([&] {
      json.column("compute", certificate.weights.compute);
      json.column("transfers", certificate.weights.transfers);
    });
    json.rows("devices", certificate.devices,
              [&](const Certificate::Devices& devices) { add_devices_of_certificate(devices, json); });
    json.key("classes").array(certificate.classes, [&](const Certificate::Class& one) {
      json.array([&] {
        json.value(one.node);
        json.value(one.price);
      });
    });
    json.key("ignored").array([&] {
      for (std::size_t place = 0; place < certificate.devices.size(); ++place) {
        for (const Certificate::Transfer& transfer : certificate.devices[place].ignored) {
          json.array([&] {
            json.value(place);
            json.value(transfer.producer);
            json.value(transfer.consumer);
          });
        }
      }
    });
  });
  return json.take();
}

}  // namespace partita::detail
