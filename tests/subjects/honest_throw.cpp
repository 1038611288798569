// SPDX-License-Identifier: MIT
// The path of `honest` that needs C++.
struct work;
extern "C" void ckhonest_turn(struct work *work);
extern "C" void ckhonest_throw(void *state);

extern "C" void ckhonest_throw(void *state)
{
    try {
        throw 1;
    } catch (int) {
        ckhonest_turn(static_cast<struct work *>(state));
    }
}
