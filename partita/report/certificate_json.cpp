// SPDX-License-Identifier: Apache-2.0
#include "partita/report/certificate_json.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "partita/report/json_parts.h"

namespace partita::detail {
namespace {

constexpr int kCertificateVersion = 6;

void add_devices_of_certificate(const Certificate::Devices& devices, JsonWriter& json) {
  json.field("class", devices.name.value_or(""));
  json.field("memory_toll", devices.memory_toll);
  if (!devices.most) return;
  json.field("theta", devices.theta);
  json.field("buckets", devices.buckets);
  json.field("most", *devices.most);
}

// Of a leaf, or of a certificate without leaves.
void add_prices(const std::vector<Certificate::Class>& classes, const std::vector<Certificate::Devices>& devices,
                JsonWriter& json) {
  json.rows("devices", devices,
            [&](const Certificate::Devices& of_class) { add_devices_of_certificate(of_class, json); });
  json.key("classes").array(classes, [&](const Certificate::Class& one) {
    json.array([&] {
      json.value(one.node);
      json.value(one.price);
    });
  });
  const auto add_nodes = [&](const std::vector<std::int64_t>& nodes) {
    json.array(nodes, [&](std::int64_t node) { json.value(node); });
  };
  json.key("narrowed").array([&] {
    for (std::size_t place = 0; place < devices.size(); ++place) {
      for (const auto& [transfer, counted] : devices[place].narrowed) {
        json.array([&, &transfer = transfer, &counted = counted] {
          json.value(place);
          add_nodes(transfer);
          add_nodes(counted);
        });
      }
    }
  });
  json.key("forgotten").array([&] {
    for (std::size_t place = 0; place < devices.size(); ++place) {
      for (const std::int64_t node : devices[place].forgotten) {
        json.array([&] {
          json.value(place);
          json.value(node);
        });
      }
    }
  });
}

void add_step(const Certificate::Step& step, JsonWriter& json) {
  if (step.join) {
    json.column("join", std::array{step.node, *step.join});
    return;
  }
  if (step.windows) {
    json.field("windows", *step.windows);
    return;
  }
  json.field("remove", step.node);
  json.rows("shifts", step.shifts, [&](const Certificate::Step::Shift& shift) {
    json.column("transfer", shift.transfer);
    json.field("to", shift.to);
  });
  const auto add_nodes = [&](const std::vector<std::int64_t>& transfer) {
    json.array(transfer, [&](std::int64_t node) { json.value(node); });
  };
  if (!step.links.empty()) {
    json.rows("links", step.links, [&](const Certificate::Step::Link& link) {
      json.column("a", link.a);
      json.column("b", link.b);
      json.field("cost", link.cost);
      if (!link.without.empty()) json.column("without", link.without);
    });
  }
  json.column("bridge", step.bridge);
  json.key("into").array(step.into, add_nodes);
}

void add_sweep(const Certificate::Sweep& sweep, JsonWriter& json) {
  json.field("toll", sweep.toll);
  json.field("reversed", sweep.reversed);
  json.key("labels").array(sweep.labels, [&](const Certificate::Sweep::Label& label) {
    json.array([&] {
      json.value(label.node);
      json.value(label.other);
      json.value(label.time);
    });
  });
}

}  // namespace

std::string certificate_json(const Problem& problem, const Certificate& certificate) {
  JsonWriter json(JsonLayout::Pretty);
  json.object([&] {
    add_format("certificate", kCertificateVersion, json);
    json.field("workload", problem.workload->name);
    json.field("limit", certificate.limit);
    if (certificate.objective == Objective::Latency) {
      json.field("objective", to_string(certificate.objective));
      json.rows("sweeps", certificate.sweeps, [&](const Certificate::Sweep& sweep) { add_sweep(sweep, json); });
      return;
    }
    json.field("shape", to_string(certificate.shape));
    json.key("weights").object([&] {
      json.column("compute", certificate.weights.compute);
      json.column("transfers", certificate.weights.transfers);
    });
    if (!certificate.steps.empty())
      json.rows("steps", certificate.steps, [&](const Certificate::Step& step) { add_step(step, json); });
    if (certificate.ideals) {
      json.field("ideals", *certificate.ideals);
    } else if (certificate.leaves.empty()) {
      add_prices(certificate.classes, certificate.devices, json);
    } else {
      json.rows("leaves", certificate.leaves, [&](const Certificate::Leaf& leaf) {
        json.key("decisions").array(leaf.decisions, [&](const Certificate::Decision& decision) {
          json.array([&] {
            json.value(decision.a);
            json.value(decision.b);
            json.value(decision.together);
          });
        });
        add_prices(leaf.classes, leaf.devices, json);
      });
    }
  });
  return json.take();
}

}  // namespace partita::detail
