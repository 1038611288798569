// SPDX-License-Identifier: MIT
// A set keeps totals and scans nothing, so what other processes write is not in them. A scan puts
// them right: at the start, a minute after the last one, and whenever our own sets have added a
// tenth of a bound, so that N processes overshoot by at most N tenths. Over 90 % of a bound, a scan
// and the removal of the oldest entries, down to 70 %, are one step.
#include "backend/file_room.h"

#include <fcntl.h>
#include <unistd.h>

#include "backend/file_errno.h"
#include "backend/instant.h"

#define SCAN_EVERY_NS INT64_C(60000000000)
#define REST_NS       INT64_C(1000000000)

enum { LOOK_AT_CLOCK_EVERY = 64 };

static int64_t load(const cki_file_total *total)
{
    return atomic_load_explicit(total, memory_order_relaxed);
}

static void add(cki_file_total *total, int64_t more)
{
    if (more != 0) {
        atomic_fetch_add_explicit(total, more, memory_order_relaxed);
    }
}

static bool is_over(const struct cki_file_room *room, int64_t tenths)
{
    return load(&room->bytes) > room->budget_bytes / 10 * tenths ||
           load(&room->entries) > room->entries_max * tenths / 10;
}

bool cki_file_room_has(const struct cki_file_room *room, int64_t bytes)
{
    return load(&room->entries) < room->entries_max &&
           load(&room->bytes) <= room->budget_bytes - bytes;
}

void cki_file_room_add(struct cki_file_room *room, int64_t old_bytes, int64_t bytes)
{
    int64_t more = bytes - (old_bytes > 0 ? old_bytes : 0);
    add(&room->bytes, more);
    add(&room->grown_bytes, more > 0 ? more : 0);
    if (old_bytes < 0) {
        add(&room->entries, 1);
        add(&room->grown_entries, 1);
    }
}

void cki_file_room_drop(struct cki_file_room *room, int64_t bytes)
{
    add(&room->bytes, -bytes);
    add(&room->entries, -1);
}

void cki_file_room_unlink(struct cki_file_room *room, const char *name, const struct stat *file)
{
    struct stat now;
    if (fstatat(room->dir_fd, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == file->st_ino &&
        now.st_dev == file->st_dev && unlinkat(room->dir_fd, name, 0) == 0) {
        cki_file_room_drop(room, file->st_size);
    }
}

// A child may find the place taken by a thread of its parent, which it does not have. What that
// thread was working on may be in any state and is forgotten, not freed. A scan between two calls
// is sound, but its stream shares its position with the parent's.
static bool enter(struct cki_file_room *room)
{
    int self = (int)getpid();
    int owner = 0;
    if (!atomic_compare_exchange_strong(&room->tidier, &owner, self)) {
        if (owner == self || !atomic_compare_exchange_strong(&room->tidier, &owner, self)) {
            return false;
        }
        room->scan = (struct cki_file_scan){.stream = NULL};
    }
    if (room->scan.stream != NULL && room->scan.pid != self) {
        cki_file_scan_end(&room->scan);
    }
    return true;
}

static bool begin(struct cki_file_room *room)
{
    if (room->scan.stream != NULL) {
        return true;
    }
    atomic_store_explicit(&room->grown_bytes, 0, memory_order_relaxed);
    atomic_store_explicit(&room->grown_entries, 0, memory_order_relaxed);
    room->bytes_before = load(&room->bytes);
    room->entries_before = load(&room->entries);
    return cki_file_scan_begin(&room->scan, room->dir_fd, room->allocator);
}

// False: nothing is left to remove and it is still too much.
static bool evict(struct cki_file_room *room, int64_t deadline_ns)
{
    struct cki_file_found oldest;
    cki_file_scan_order(&room->scan);
    for (unsigned seen = 1; is_over(room, 7); seen++) {
        if (!cki_file_scan_pop(&room->scan, &oldest)) {
            return !is_over(room, 9);
        }
        char name[CKI_FILE_NAME_ROOM];
        struct stat now;
        cki_file_name_write(oldest.digest, name);
        if (fstatat(room->dir_fd, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
            (uint64_t)now.st_ino == oldest.inode && unlinkat(room->dir_fd, name, 0) == 0) {
            cki_file_room_drop(room, oldest.bytes);
        }
        if (seen % LOOK_AT_CLOCK_EVERY == 0 && cki_instant_ns() >= deadline_ns) {
            break;
        }
    }
    return true;
}

enum tidied { TIDIED, PAUSED, NO_HELP };

static enum tidied scan_and_evict(struct cki_file_room *room, int64_t deadline_ns)
{
    enum cki_file_scanned scanned =
        begin(room) ? cki_file_scan_step(&room->scan, deadline_ns) : CKI_FILE_SCAN_FAILED;
    if (scanned == CKI_FILE_SCAN_PAUSED) {
        return PAUSED;
    }
    bool helped = scanned == CKI_FILE_SCAN_DONE;
    if (helped) {
        add(&room->bytes, room->scan.bytes - room->bytes_before);
        add(&room->entries, (int64_t)room->scan.count - room->entries_before);
        helped = !is_over(room, 9) || evict(room, deadline_ns);
    }
    room->failed = room->scan.failed;
    cki_file_scan_end(&room->scan);
    return helped ? TIDIED : NO_HELP;
}

static bool is_due(const struct cki_file_room *room, int64_t now_ns)
{
    return now_ns >= load(&room->due_ns) || is_over(room, 9) ||
           load(&room->grown_bytes) >= room->budget_bytes / 10 ||
           load(&room->grown_entries) >= room->entries_max / 10;
}

void cki_file_room_tidy(struct cki_file_room *room, bool must, int64_t now_ns, int64_t deadline_ns)
{
    if ((!must && !is_due(room, now_ns)) || now_ns < load(&room->rest_ns) || !enter(room)) {
        return;
    }
    enum tidied tidied = scan_and_evict(room, deadline_ns);
    int64_t due_ns = tidied == PAUSED ? 0 : now_ns + SCAN_EVERY_NS;
    atomic_store_explicit(&room->due_ns, due_ns, memory_order_relaxed);
    int64_t rest_ns = tidied == NO_HELP ? now_ns + REST_NS : 0;
    atomic_store_explicit(&room->rest_ns, rest_ns, memory_order_relaxed);
    atomic_store(&room->tidier, 0);
}

cachekit_status cki_file_room_init(struct cki_file_room *room, cachekit_error *error)
{
    (void)scan_and_evict(room, INT64_MAX);
    if (room->failed != 0) {
        return cki_file_fail(error, room->failed, CKI_FILE_IN_DIRECTORY,
                             "cannot read the directory");
    }
    atomic_store(&room->due_ns, cki_instant_ns() + SCAN_EVERY_NS);
    return CACHEKIT_OK;
}

void cki_file_room_release(struct cki_file_room *room)
{
    if (enter(room)) {
        cki_file_scan_end(&room->scan);
    }
}
