// SPDX-License-Identifier: MIT
// The measured library of the sample dumps.
#ifndef FIXTURE_TABLE_H
#define FIXTURE_TABLE_H

void op_htab(int turn);

#endif
