// SPDX-License-Identifier: MIT
// A subject in C++11: the macros are positional for its sake. The state is an object, made and
// destroyed by C++.
#include <ckbench/subject.h>

#include <numeric>
#include <vector>

namespace
{

struct numbers {
    std::vector<int> items;
    int sum;
};

void *setup()
{
    return new numbers{std::vector<int>(100, 3), 0};
}

void op(void *state)
{
    auto *all = static_cast<numbers *>(state);
    std::vector<int> copy(all->items);
    all->sum = std::accumulate(copy.begin(), copy.end(), 0);
}

int verify(void *state)
{
    return static_cast<numbers *>(state)->sum == 300 ? 0 : 1;
}

void teardown(void *state)
{
    delete static_cast<numbers *>(state);
}

} // namespace

CKBENCH_PATH(stranger_counts_cxx, "copies 100 numbers and adds them up", setup, op, verify,
             teardown)
CKBENCH_MAIN
