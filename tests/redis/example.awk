# SPDX-License-Identifier: MIT
# The README's program that caches a function in Redis.
/^## Cache a function in Redis$/ { on = 1 }
on && /^```$/ { exit }
on && inside { print }
on && /^```c$/ { inside = 1 }
