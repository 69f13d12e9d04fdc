// SPDX-License-Identifier: Apache-2.0
// How much memory the program may take. The system enforces it, so nothing that allocates can overlook it: beyond the
// limit std::bad_alloc is thrown, which ends a solver, or the program, in an orderly way. Not in builds with
// sanitizers, which take terabytes of address space for themselves.
#pragma once

namespace partita::detail::app {

// Half of what the machine has, or of what the control group that the program runs in may use.
double default_memory_limit();

// Replaces the limit in force. A small part of it is kept back until use_memory_reserve(), so that what was found can
// still be written once memory has run out.
void limit_memory(double bytes);
void use_memory_reserve();

// Solvers free and take again what is large, many times a second: most of it is no longer given back to the system in
// between, which costs more than all else that the system does for them. [t5, inference: 0.5 s instead of 2.5 of 12.]
void keep_freed_memory();

// In force, the part that is kept back included; infinite before limit_memory().
double memory_limit();

}  // namespace partita::detail::app
