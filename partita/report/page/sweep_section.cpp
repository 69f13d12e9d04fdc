// SPDX-License-Identifier: Apache-2.0
#include "partita/report/page/sections.h"

namespace partita::detail {

void write_sweep(const Sweep& sweep, const PageSplits& splits, JsonWriter& json) {
  json.object([&] {
    json.field("parameter", to_string(sweep.parameter));
    json.field("unit", sweep.parameter == SweepParameter::Memory ? "B" : "");
    json.key("points").array(ids<Id<SweepPoint>>(sweep.points.size()), [&](Id<SweepPoint> place) {
      const SweepPoint& point = sweep.points[place.index()];
      json.object([&] {
        json.field("parameter", point.parameter);
        json.field("label", point.label);
        json.field("status", to_string(point.result.status));
        json.field("value", point.result.value);
        json.field("bound", point.result.bound);
        json.field("gap", point.result.gap());
        json.field("unverified", point.result.unverified);
        json.field("seconds", point.result.seconds);
        json.field("devicesUsed", point.devices_used);
        json.field("reason", point.result.reason);
        json.field("split", splits.shown_by(place.index()));
      });
    });
    json.field("enough", sweep.enough);
    json.field("verdict", sweep.verdict);
  });
}

}  // namespace partita::detail
