// SPDX-License-Identifier: Apache-2.0
#include "partita/report/certificate_json.h"

#include "partita/report/pretty_json.h"
#include "partita/util/version.h"

namespace partita {

std::string certificate_json(const Problem& problem, const Certificate& certificate) {
  using nlohmann::ordered_json;
  ordered_json classes = ordered_json::array(), ignored = ordered_json::array();
  for (const Certificate::Class& c : certificate.classes) classes.push_back({c.node, c.price});
  for (const Certificate::Transfer& t : certificate.ignored) {
    ignored.push_back({t.producer, t.consumer ? ordered_json(*t.consumer) : ordered_json()});
  }
  return pretty_json({{"partita", {{"format", "certificate"}, {"version", 1}, {"program_version", version()}}},
                      {"workload", problem.workload->name},
                      {"limit", certificate.limit},
                      {"memory_toll", certificate.memory_toll},
                      {"theta", certificate.theta},
                      {"buckets", certificate.buckets},
                      {"classes", classes},
                      {"ignored", ignored}});
}

}  // namespace partita
