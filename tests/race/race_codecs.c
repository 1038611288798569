// SPDX-License-Identifier: MIT
// The library keeps no state of its own: threads that share nothing but a constant input must not
// meet. A plain program, because Criterion cannot start under ThreadSanitizer, which judges here.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <cachekit/cachekit.h>
#include <cachekit/envelope.h>

enum { THREADS = 4, ROUNDS = 200 };

static uint8_t document[2000];
static size_t document_len;

struct room {
    cachekit_buffer envelope, payload, encoded;
    cachekit_arena arena;
};

// 0: the document comes back from its envelope and from its tree as it was.
static int round_trip(struct room *room)
{
    cachekit_error error;
    const char *format = NULL;
    cachekit_slice input = {document, document_len};
    if (cachekit_envelope_encode(input, CACHEKIT_FORMAT_MSGPACK, &room->envelope, &error) !=
        CACHEKIT_OK) {
        return 1;
    }
    cachekit_slice stored = {room->envelope.data, room->envelope.len};
    if (cachekit_envelope_decode(stored, 0, &room->payload, &format, &error) != CACHEKIT_OK) {
        return 1;
    }
    cachekit_value root;
    cachekit_arena_reset(&room->arena);
    input = (cachekit_slice){room->payload.data, room->payload.len};
    if (cachekit_value_decode(input, CACHEKIT_DECODE_COPY, &room->arena, &root, &error) !=
            CACHEKIT_OK ||
        cachekit_value_encode(&root, &room->encoded, &error) != CACHEKIT_OK ||
        room->encoded.len != document_len ||
        memcmp(room->encoded.data, document, document_len) != 0) {
        return 1;
    }
    stored.len--;
    return cachekit_envelope_decode(stored, 0, &room->payload, &format, &error) !=
               CACHEKIT_E_DECODE ||
           strcmp(cachekit_status_name(error.status), "E_DECODE") != 0;
}

static void *run(void *failed)
{
    struct room room = {CACHEKIT_BUFFER_INIT, CACHEKIT_BUFFER_INIT, CACHEKIT_BUFFER_INIT,
                        CACHEKIT_ARENA_INIT};
    for (int i = 0; i < ROUNDS; i++) {
        *(int *)failed += round_trip(&room);
    }
    cachekit_buffer_release(&room.envelope);
    cachekit_buffer_release(&room.payload);
    cachekit_buffer_release(&room.encoded);
    cachekit_arena_release(&room.arena);
    return NULL;
}

int main(void)
{
    FILE *file = fopen(CACHEKIT_TEST_DIR "/vectors/users_4.msgpack", "rb");
    if (file == NULL) {
        perror("users_4.msgpack");
        return 1;
    }
    document_len = fread(document, 1, sizeof document, file);
    (void)fclose(file);

    pthread_t threads[THREADS];
    int failed[THREADS] = {0}, sum = 0;
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run, &failed[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
        sum += failed[i];
    }
    printf("%d threads, %d round trips each of %zu bytes, %d failed\n", THREADS, ROUNDS,
           document_len, sum);
    return document_len > 1000 && sum == 0 ? 0 : 1;
}
