// SPDX-License-Identifier: MIT
// AES-256-GCM against rows of NIST and of OpenSSL, both ways, and with a wrong bit each.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdalign.h>
#include <stdio.h>

#include "hex.h"
#include "seal/gcm.h"
#include "seal/vault.h"

enum { ROOM = 512, COLUMNS = 7 };

struct part {
    uint8_t bytes[ROOM];
    size_t len;
};

struct row {
    struct part key, nonce, aad, plain, sealed;
    bool is_refused;
};

static void read_part(struct part *part, const char *hex)
{
    if (strcmp(hex, "-") != 0) {
        part->len = hex_append(part->bytes, part->len, ROOM, hex);
    }
}

static bool next_row(FILE *file, struct row *row)
{
    static char line[8 * ROOM];
    char *words[COLUMNS];
    do {
        if (fgets(line, sizeof line, file) == NULL) {
            return false;
        }
    } while (line[0] == '#');
    char *rest = NULL;
    for (int i = 0; i < COLUMNS; i++) {
        words[i] = strtok_r(i == 0 ? line : NULL, " \n", &rest);
        cr_assert(ne(ptr, words[i], NULL));
    }
    memset(row, 0, sizeof *row);
    read_part(&row->key, words[1]);
    read_part(&row->nonce, words[2]);
    read_part(&row->aad, words[3]);
    row->is_refused = strcmp(words[4], "!") == 0;
    read_part(&row->plain, row->is_refused ? "-" : words[4]);
    read_part(&row->sealed, words[5]);
    read_part(&row->sealed, words[6]);
    cr_assert(eq(sz, row->key.len, 32));
    cr_assert(eq(sz, row->nonce.len, 12));
    return true;
}

static cachekit_slice slice(const struct part *part)
{
    return (cachekit_slice){part->bytes, part->len};
}

static void check_row(const struct row *row, const void *schedule)
{
    uint8_t out[ROOM];
    bool is_open =
        cki_gcm_open(schedule, row->nonce.bytes, slice(&row->aad), slice(&row->sealed), out);
    cr_assert(eq(int, is_open, !row->is_refused));
    if (row->is_refused) {
        return;
    }
    cr_assert(eq(int, memcmp(out, row->plain.bytes, row->plain.len), 0));
    cki_gcm_seal(schedule, row->nonce.bytes, slice(&row->aad), slice(&row->plain), out);
    cr_assert(eq(sz, row->sealed.len, row->plain.len + CKI_TAG_BYTES));
    cr_assert(eq(int, memcmp(out, row->sealed.bytes, row->sealed.len), 0));
    out[row->sealed.len / 2] ^= 1;
    uint8_t plain[ROOM];
    cr_assert(not(cki_gcm_open(schedule, row->nonce.bytes, slice(&row->aad),
                               (cachekit_slice){out, row->sealed.len}, plain)));
}

static void check_file(const char *path, int rows_wanted, int refused_wanted)
{
    cr_assert(cki_gcm_is_available());
    FILE *file = fopen(path, "r");
    cr_assert(ne(ptr, file, NULL));
    alignas(CKI_VAULT_ALIGN) uint8_t schedule[CKI_VAULT_SLOT_BYTES];
    struct row row;
    int rows = 0;
    int refused = 0;
    while (next_row(file, &row)) {
        cki_gcm_expand(row.key.bytes, schedule);
        check_row(&row, schedule);
        rows++;
        refused += row.is_refused;
    }
    (void)fclose(file);
    cr_assert(eq(int, rows, rows_wanted));
    cr_assert(eq(int, refused, refused_wanted));
}

Test(gcm, seals_and_opens_nists_rows)
{
    check_file(CACHEKIT_TEST_DIR "/vectors/aes-256-gcm.txt", 200, 48);
}

Test(gcm, seals_and_opens_longer_rows_of_openssl)
{
    check_file(CACHEKIT_TEST_DIR "/vectors/aes-256-gcm-long.txt", 20, 0);
}
