// SPDX-License-Identifier: MIT
// C++ names, and two threads that do the same work as the main thread at the same time.
#include <atomic>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <valgrind/callgrind.h>
#include <valgrind/valgrind.h>

#define KEPT __attribute__((noinline, noclone))

namespace
{
struct adder {
    template <class Number> KEPT int operator()(Number number) const
    {
        return static_cast<int>(number) + 1;
    }
};

volatile int sink;
std::atomic<int> stop{0};
std::atomic<int> turns{0};
} // namespace

namespace shop
{
KEPT void sell(int size)
{
    std::string name(static_cast<size_t>(40 + size), 'x');
    std::vector<int> prices(10);
    sink = static_cast<int>(name.size()) + prices[0] + adder()(size) + adder()(2.0);
}
} // namespace shop

KEPT static void work()
{
    while (stop == 0) {
        shop::sell(1);
        turns++;
        usleep(10);
    }
}

KEPT static void window(int count)
{
    int before = turns;
    for (int i = 0; i < count; i++) {
        shop::sell(i);
    }
    while (turns < before + 4) {
        usleep(1);
    }
}

int main()
{
    std::thread first(work);
    std::thread second(work);
    window(10);
    CALLGRIND_START_INSTRUMENTATION;
    (void)VALGRIND_MONITOR_COMMAND("zero");
    window(10);
    (void)VALGRIND_MONITOR_COMMAND("dump n1");
    window(20);
    (void)VALGRIND_MONITOR_COMMAND("dump n2");
    CALLGRIND_STOP_INSTRUMENTATION;
    _exit(0);
}
