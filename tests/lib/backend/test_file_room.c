// SPDX-License-Identifier: MIT
// Bounds: who must leave and when, what a set does not do, and what a scan finds out.
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cachekit/cache.h>

#include "backend/file_inside.h"
#include "file_calls.h"
#include "file_kit.h"

enum { BOUND = 100, SCANS_AFTER_S = 60 };
enum { MANY = 1500 }; // more names than one read of a directory gives

#define MIB      ((uint64_t)1 << 20)
#define NS_PER_S INT64_C(1000000000)

static const cachekit_file_backend_options small = {.entries_max = BOUND};

static const char *key_of(int i)
{
    static char key[32];
    (void)snprintf(key, sizeof key, "key-%d", i);
    return key;
}

static struct cki_file_room *room_of(const struct file_kit *kit)
{
    return &((struct cki_file_backend *)kit->backend)->room;
}

static long entries(const struct file_kit *kit)
{
    return (long)atomic_load(&room_of(kit)->entries);
}

static void set_keys(struct file_kit *kit, int from, int to)
{
    for (int i = from; i < to; i++) {
        SAYS(file_kit_set(kit, key_of(i), "value", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    }
}

static int scans(void)
{
    return file_calls_of(CALL_FDOPENDIR);
}

// Gives key i the age i: what was written first is the youngest.
static void age_keys(const struct file_kit *kit, int count)
{
    for (int i = 0; i < count; i++) {
        const char *key = key_of(i);
        char name[CKI_FILE_NAME_ROOM];
        cr_assert(cki_file_name(file_kit_slice(key), name) == CACHEKIT_OK);
        file_kit_age(kit, name, 100 + i);
    }
}

Test(file_room, over_ninety_per_cent_the_oldest_go_down_to_seventy)
{
    struct file_kit kit;
    file_kit_open(&kit, &small);
    set_keys(&kit, 0, 90);
    cr_assert(file_kit_count(&kit, "") == 90);
    file_calls_arm();
    set_keys(&kit, 0, 5); // at ninety nothing happens yet
    (void)file_calls_disarm();
    cr_assert(scans() == 0);
    age_keys(&kit, 90);
    SAYS(file_kit_set(&kit, "one more", "value", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    file_calls_arm();
    SAYS(file_kit_set(&kit, "one more", "value", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    (void)file_calls_disarm();
    cr_assert(scans() == 0);
    cr_assert(file_kit_count(&kit, "") == 70, "%d", file_kit_count(&kit, ""));
    cr_assert(entries(&kit) == 70, "%ld", entries(&kit));
    SAYS(file_kit_get(&kit, "one more"), CACHEKIT_OK);
    for (int i = 0; i < 90; i++) {
        SAYS(file_kit_get(&kit, key_of(i)), i < 69 ? CACHEKIT_OK : CACHEKIT_MISS);
    }
    file_kit_close(&kit);
}

// Somebody stores the oldest entry anew after it was chosen and before it goes.
static struct file_kit *evicting;
static int looks;

static void renew(int index, enum file_call call)
{
    (void)index;
    if (call == CALL_FSTATAT && ++looks == 1 + 91 + 1) { // the old size, the scan, the oldest
        char name[CKI_FILE_NAME_ROOM];
        cr_assert(cki_file_name(file_kit_slice(key_of(89)), name) == CACHEKIT_OK);
        file_kit_plant(evicting, "fresh", "CK\1\0\0\0\0\0\0\0\0\0\0\0fresh", 19);
        cr_assert(rename(file_kit_path(evicting, "fresh"), file_kit_path(evicting, name)) == 0);
    }
}

Test(file_room, an_entry_that_was_renewed_meanwhile_stays)
{
    struct file_kit kit;
    file_kit_open(&kit, &small);
    set_keys(&kit, 0, 90);
    age_keys(&kit, 90);
    evicting = &kit;
    looks = 0;
    file_calls_arm();
    file_calls.before = renew;
    SAYS(file_kit_set(&kit, "one more", "value", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    (void)file_calls_disarm();
    cr_assert(looks == 1 + 91 + 22, "%d", looks); // one more than the 21 that go
    SAYS(file_kit_get(&kit, key_of(89)), CACHEKIT_OK);
    cr_assert(file_kit_has(&kit, "fresh"));
    SAYS(file_kit_get(&kit, key_of(88)), CACHEKIT_MISS);
    cr_assert(file_kit_count(&kit, "") == 70);
    file_kit_close(&kit);
}

Test(file_room, bytes_are_bounded_like_entries)
{
    enum { LEN = 100000 };
    const cachekit_file_backend_options o = {.budget_bytes = MIB};
    struct file_kit kit;
    file_kit_open(&kit, &o);
    uint8_t *bytes = calloc(1, LEN);
    for (int i = 0; i < 10; i++) {
        cr_assert(file_kit_count(&kit, "") == i);
        const cachekit_slice value = {bytes, LEN};
        SAYS(kit.backend->ops->set(kit.backend, file_kit_slice(key_of(i)), value, 5000,
                                   cachekit_deadline_ns(60000), NULL),
             CACHEKIT_OK);
    }
    // 10 * 100,014 bytes are over 943,718; 7 are under 734,003.
    cr_assert(file_kit_count(&kit, "") == 7, "%d", file_kit_count(&kit, ""));
    cr_assert(atomic_load(&room_of(&kit)->bytes) == 7 * (LEN + 14));
    free(bytes);
    file_kit_close(&kit);
}

Test(file_room, only_entries_are_counted_and_only_they_go)
{
    struct file_kit kit;
    file_kit_make_dir(&kit);
    for (int i = 0; i < 60; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, KEY_NAME ".tmp.1.%d", i);
        file_kit_plant(&kit, name, "half", 4);
        (void)snprintf(name, sizeof name, "letter-%d", i);
        file_kit_plant(&kit, name, "dear", 4);
    }
    cr_assert(mkdir(file_kit_path(&kit, KEY_NAME), 0700) == 0);
    file_kit_plant(&kit, OTHER_NAME ".bak", "old", 3);
    SAYS(file_kit_reopen(&kit, &small), CACHEKIT_OK);
    cr_assert(entries(&kit) == 0);
    set_keys(&kit, 0, 91);
    cr_assert(entries(&kit) == 70);
    cr_assert(file_kit_count(&kit, "") == 60 + 60 + 2 + 70);
    cr_assert(file_kit_count(&kit, "letter") == 60 && file_kit_count(&kit, ".tmp.") == 60);
    file_kit_close(&kit);
}

Test(file_room, totals_follow_overwrites_removals_and_what_has_ended)
{
    struct file_kit kit;
    file_kit_open(&kit, &small);
    cki_file_total *bytes = &room_of(&kit)->bytes;
    SAYS(file_kit_set(&kit, KEY, "12345", 5000), CACHEKIT_OK);
    cr_assert(entries(&kit) == 1 && atomic_load(bytes) == 19);
    SAYS(file_kit_set(&kit, KEY, "123", 5000), CACHEKIT_OK);
    cr_assert(entries(&kit) == 1 && atomic_load(bytes) == 17);
    SAYS(file_kit_set(&kit, OTHER, "", 5000), CACHEKIT_OK);
    cr_assert(entries(&kit) == 2 && atomic_load(bytes) == 31);
    SAYS(file_kit_remove(&kit, KEY), CACHEKIT_OK);
    cr_assert(entries(&kit) == 1 && atomic_load(bytes) == 14);
    file_calls.wall_ns = INT64_C(4000000000) * NS_PER_S;
    SAYS(file_kit_get(&kit, OTHER), CACHEKIT_MISS);
    file_calls.wall_ns = 0;
    cr_assert(entries(&kit) == 0 && atomic_load(bytes) == 0);
    file_kit_close(&kit);
}

Test(file_room, a_set_scans_nothing)
{
    struct file_kit kit;
    file_kit_open(&kit, NULL);
    file_calls_arm();
    for (int i = 0; i < 100; i++) {
        SAYS(file_kit_set(&kit, key_of(i % 5), "value", 5000), CACHEKIT_OK);
    }
    (void)file_calls_disarm();
    cr_assert(scans() == 0 && file_calls_of(CALL_READDIR) == 0);
    cr_assert(file_calls.count == 100 * 6, "%d", file_calls.count); // and nothing else
    file_kit_close(&kit);
}

Test(file_room, what_others_write_is_found_by_growth_and_by_time)
{
    for (int by_time = 0; by_time < 2; by_time++) {
        struct file_kit kit;
        struct file_kit other;
        file_kit_open(&kit, &small);
        other = kit;
        other.backend = NULL;
        SAYS(file_kit_reopen(&other, &small), CACHEKIT_OK);
        set_keys(&other, 0, 85);
        cr_assert(entries(&kit) == 0);
        set_keys(&kit, 100, by_time ? 101 : 109);
        cr_assert(entries(&kit) == (by_time ? 1 : 9));
        if (by_time) {
            file_calls.past_ns = (SCANS_AFTER_S - 1) * NS_PER_S;
            set_keys(&kit, 100, 101);
            cr_assert(entries(&kit) == 1);
            file_calls.past_ns = (SCANS_AFTER_S + 1) * NS_PER_S;
            set_keys(&kit, 100, 101);
            cr_assert(entries(&kit) == 86);
        } else {
            set_keys(&kit, 109, 110); // the tenth: a tenth of the bound
            cr_assert(file_kit_count(&kit, "") == 70, "%d", file_kit_count(&kit, ""));
            cr_assert(entries(&kit) == 70);
        }
        file_calls.past_ns = 0;
        cachekit_backend_free(other.backend);
        file_kit_close(&kit);
    }
}

Test(file_room, at_the_bound_new_keys_are_refused_and_old_ones_are_not)
{
    struct file_kit kit;
    file_kit_open(&kit, &small);
    file_calls_arm();
    file_calls.fail_always = CALL_UNLINKAT; // nothing can be evicted
    file_calls.code = EBUSY;
    set_keys(&kit, 0, BOUND);
    SAYS(file_kit_set(&kit, "one more", "value", 5000), CACHEKIT_E_FULL);
    set_keys(&kit, 0, 3);
    file_calls.fail_always = -1;
    (void)file_calls_disarm();
    cr_assert(file_calls.fired > 0);
    cr_assert(file_kit_count(&kit, "") == BOUND && file_kit_count(&kit, ".tmp.") == 0);
    // A scan that could not help is not tried again by every set, but it is tried again.
    file_calls_arm();
    SAYS(file_kit_set(&kit, "one more", "value", 5000), CACHEKIT_E_FULL);
    set_keys(&kit, 0, 3);
    (void)file_calls_disarm();
    cr_assert(scans() == 0);
    file_calls.past_ns = 2 * NS_PER_S;
    SAYS(file_kit_set(&kit, "one more", "value", 5000), CACHEKIT_OK);
    cr_assert(entries(&kit) == 71, "%ld", entries(&kit));
    file_calls.past_ns = 0;
    file_kit_close(&kit);
}

Test(file_room, a_full_directory_is_brought_down_at_the_start)
{
    struct file_kit kit;
    const cachekit_file_backend_options wide = {.entries_max = 1000};
    file_kit_open(&kit, &wide);
    set_keys(&kit, 0, 150);
    SAYS(file_kit_reopen(&kit, &small), CACHEKIT_OK);
    cr_assert(file_kit_count(&kit, "") == 70);
    file_kit_close(&kit);
}

// A clock that jumps in the middle of the scan.
static int looked;

static void jump(int index, enum file_call call)
{
    (void)index;
    if (call == CALL_READDIR && ++looked == 10) {
        file_calls.past_ns += 120 * NS_PER_S;
    }
}

static void pause_a_scan(struct file_kit *kit)
{
    const cachekit_file_backend_options wide = {.entries_max = 10000};
    for (unsigned i = 0; i < MANY; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%032x", i);
        file_kit_plant(kit, name, "CK", 2);
    }
    SAYS(file_kit_reopen(kit, &wide), CACHEKIT_OK);
    cr_assert(entries(kit) == MANY);
    SAYS(file_kit_set(kit, key_of(0), "value", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    atomic_store(&room_of(kit)->entries, 5); // a total that is wrong
    file_calls.past_ns = (SCANS_AFTER_S + 1) * NS_PER_S;
    file_calls_arm();
    file_calls.before = jump;
    looked = 0;
    SAYS(file_kit_set(kit, key_of(0), "value", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    (void)file_calls_disarm();
    cr_assert(scans() == 1);
    cr_assert(looked < MANY && entries(kit) == 5 && room_of(kit)->scan.stream != NULL);
}

Test(file_room, a_scan_that_runs_out_of_time_goes_on_with_the_next_set)
{
    struct file_kit kit;
    file_kit_make_dir(&kit);
    pause_a_scan(&kit);
    file_calls_arm();
    SAYS(file_kit_set(&kit, key_of(0), "value", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    (void)file_calls_disarm();
    cr_assert(scans() == 0 && file_calls_of(CALL_READDIR) > 0);
    cr_assert(entries(&kit) == MANY + 1, "%ld", entries(&kit));
    file_calls.past_ns = 0;
    file_kit_close(&kit);
}

static void in_child(struct file_kit *kit, int wanted)
{
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        bool ok = file_kit_set(kit, key_of(0), "value", CACHEKIT_FOREVER_MS) == CACHEKIT_OK;
        _exit(ok && entries(kit) == wanted ? 0 : 1);
    }
    int status = -1;
    cr_assert(waitpid(child, &status, 0) == child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

Test(file_room, a_child_begins_its_own_scan_and_the_parents_goes_on)
{
    struct file_kit kit;
    file_kit_make_dir(&kit);
    pause_a_scan(&kit);
    in_child(&kit, MANY + 1);
    SAYS(file_kit_set(&kit, key_of(0), "value", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    cr_assert(entries(&kit) == MANY + 1, "%ld", entries(&kit));
    file_calls.past_ns = 0;
    file_kit_close(&kit);
}

Test(file_room, a_thread_that_tidies_elsewhere_is_waited_for_by_nobody)
{
    struct file_kit kit;
    file_kit_open(&kit, &small);
    set_keys(&kit, 0, 5);
    struct cki_file_room *room = room_of(&kit);
    atomic_store(&room->entries, 50);
    file_calls.past_ns = (SCANS_AFTER_S + 1) * NS_PER_S;
    atomic_store(&room->tidier, (int)getpid()); // another thread of ours
    SAYS(file_kit_set(&kit, key_of(0), "value", 5000), CACHEKIT_OK);
    cr_assert(entries(&kit) == 50);
    room->scan.stream = (DIR *)(uintptr_t)8; // as a thread of a parent may leave it
    in_child(&kit, 5);
    room->scan.stream = NULL;
    atomic_store(&room->tidier, 0);
    file_calls.past_ns = 0;
    file_kit_close(&kit);
}
