// SPDX-License-Identifier: MIT
// A program that ends well and answers nothing.
int main(void)
{
    return 0;
}
