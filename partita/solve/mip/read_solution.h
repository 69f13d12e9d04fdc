// SPDX-License-Identifier: Apache-2.0
// Solution files of other solvers, for the models that write_model.h wrote.
//
// Read by the names of the columns, whatever the solver: lines of NAME VALUE (Gurobi, SCIP, HiGHS and by hand) or of
// INDEX NAME VALUE (CBC), with more after it or not. Columns that are not named are 0, as solvers leave out zeros.
// Lines that are neither, comments and headings are passed over; after HiGHS's "# Rows" nothing more is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partita/solve/mip/linear_model.h"

namespace partita::detail {

// The value of each column; integer ones rounded. Throws InputError(BadField), with `where` and a line number, for a
// column that the model does not have, a value that is no number, outside its bounds or not whole where it must be, and
// for whole numbers that break a row: the file then belongs to another model.
std::vector<double> read_solution(const LinearModel& model, std::string_view text, const std::string& where);

}  // namespace partita::detail
