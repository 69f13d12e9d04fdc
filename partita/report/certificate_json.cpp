// SPDX-License-Identifier: Apache-2.0
#include "partita/report/certificate_json.h"

#include "partita/report/pretty_json.h"
#include "partita/util/version.h"

namespace partita::detail {

std::string certificate_json(const Problem& problem, const Certificate& certificate) {
  using nlohmann::ordered_json;
  ordered_json classes = ordered_json::array(), devices = classes, ignored = classes;
  for (const Certificate::Class& c : certificate.classes) classes.push_back({c.node, c.price});
  for (const Certificate::Devices& d : certificate.devices) {
    ordered_json entry{{"class", d.name.value_or("")}, {"memory_toll", d.memory_toll}};
    if (d.most) entry.update({{"theta", d.theta}, {"buckets", d.buckets}, {"most", *d.most}});
    for (const Certificate::Transfer& t : d.ignored)
      ignored.push_back({devices.size(), t.producer, t.consumer ? ordered_json(*t.consumer) : ordered_json()});
    devices.push_back(std::move(entry));
  }
  return pretty_json(
      {{"partita", {{"format", "certificate"}, {"version", 2}, {"program_version", version()}}},
       {"workload", problem.workload->name},
       {"limit", certificate.limit},
       {"weights", {{"compute", certificate.weights.compute}, {"transfers", certificate.weights.transfers}}},
       {"devices", devices},
       {"classes", classes},
       {"ignored", ignored}});
}

}  // namespace partita::detail
