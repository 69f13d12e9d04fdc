// SPDX-License-Identifier: Apache-2.0
// What an engine calls a device. A plan knows "rtx3090 1"; an engine knows "CUDA2" or "cuda:2". Without other words,
// accelerators are numbered through in the platform's order.
#pragma once

#include <string>

#include "partita/write/engines/engine.h"

namespace partita::detail {

bool is_host(const ExportRequest& request, DeviceId device);

// The place of an accelerator among all of them, class by class.
std::size_t accelerator_number(const ExportRequest& request, DeviceId device);

// The caller's name for it, or `prefix` and its number; hosts have the name that is given for them.
std::string engine_name(const ExportRequest& request, DeviceId device, const std::string& prefix,
                        const std::string& host);

// Throws InputError(Usage) where the caller's names are not one for each accelerator, not unique, or no words.
void check_device_names(const ExportRequest& request);

}  // namespace partita::detail
