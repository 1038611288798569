/* SPDX-License-Identifier: MIT */
/* The hit without a lock beside writers that store, remove and free, one step for each access to
 * shared memory. Two slots, two keys whose hashes are the same, so that both begin at slot 0; a
 * removal shifts the other entry back. Freed entries are used again. Checked to exhaustion:
 *  - what a reader has confirmed is not freed until it lets go;
 *  - a reader serves no entry whose removal had returned before it began;
 *  - a word never names an entry that is free.
 * Each of NO_SECOND_LOOK, PIN_LATE, NO_SCAN and RETURNS_EARLY breaks one rule, and spin must find
 * it. (That a removed entry is also marked dead turned out to be a second lock on the same door: the
 * second look at the slot alone keeps a removed entry from being served.) */

#define READERS 2
#define WRITERS 2
#define ENTRIES 3 /* 1 and 2 for key 1, 3 for key 2; 0: none */
#define ROUNDS 2

#define KEY(e) ((e) == 3 -> 2 : 1)

byte slot[2];
byte pin[READERS];
bool free_[4] = true;
bool dead[4], limbo[4];
bool returned[4]; /* the removal of this life is over */
byte life[4];
bool locked;

inline lock()
{
    atomic { !locked -> locked = true }
}

inline unlock()
{
    locked = false
}

proctype reader(byte r; byte key)
{
    byte i, w, began_life[4];
    bool began_returned[4], due;

    d_step {
        i = 1;
        do
        :: i <= ENTRIES -> began_life[i] = life[i]; began_returned[i] = returned[i]; i++
        :: else -> break
        od;
        i = 0
    }
    do
    :: i == 2 -> break
    :: i < 2 ->
        w = slot[i];
        if
        :: w == 0 -> break
        :: else
        fi;
#ifndef PIN_LATE
        pin[r] = w;
#endif
#ifndef NO_SECOND_LOOK
        if
        :: slot[i] != w -> goto doubt
        :: else
        fi;
#endif
#ifdef PIN_LATE
        pin[r] = w;
#endif
        assert(!free_[w]);
        if
        :: KEY(w) != key -> pin[r] = 0; i++
        :: else ->
            due = dead[w];
            if
            :: due -> goto doubt
            :: else
            fi;
            assert(!(began_life[w] == life[w] && began_returned[w]));
            assert(!free_[w]); /* used */
            break
        fi
    od;
doubt:
    pin[r] = 0
}

/* Under the lock: the entry of the key into the first slot that is empty. */
inline store(e)
{
    d_step {
        free_[e] = false;
        dead[e] = false;
        returned[e] = false;
        life[e]++
    }
    if
    :: slot[0] == 0 -> slot[0] = e
    :: else -> slot[1] = e
    fi
}

/* Under the lock: dead, then out of the index, what lies behind shifted back. */
inline unlink(e)
{
    dead[e] = true;
    if
    :: slot[0] == e ->
        if
        :: slot[1] != 0 -> slot[0] = slot[1]; slot[1] = 0
        :: else -> slot[0] = 0
        fi
    :: else -> slot[1] = 0
    fi;
    limbo[e] = true
}

inline look_up(key, e)
{
    d_step {
        e = 0;
        if
        :: slot[0] != 0 && KEY(slot[0]) == key -> e = slot[0]
        :: slot[1] != 0 && KEY(slot[1]) == key -> e = slot[1]
        :: else
        fi
    }
}

/* Takes one entry out of limbo, looks at the pins without the lock, frees it or puts it back. */
inline reclaim(e, r, pinned)
{
    lock();
    d_step {
        e = 0;
        if
        :: limbo[1] -> e = 1
        :: limbo[2] -> e = 2
        :: limbo[3] -> e = 3
        :: else
        fi;
        limbo[e] = false
    }
    unlock();
    if
    :: e != 0 ->
        pinned = false;
        r = 0;
#ifndef NO_SCAN
        do
        :: r < READERS -> pinned = pinned || pin[r] == e; r++
        :: else -> break
        od;
#endif
        lock();
        if
        :: pinned -> limbo[e] = true
        :: else ->
            assert(slot[0] != e && slot[1] != e);
            free_[e] = true
        fi;
        unlock()
    :: else
    fi
}

proctype writer(byte key)
{
    byte round, e, r;
    bool pinned;

    do
    :: round == ROUNDS -> break
    :: round < ROUNDS ->
        lock();
        look_up(key, e);
        if
        :: e != 0 ->
#ifdef RETURNS_EARLY
            returned[e] = true;
#endif
            unlink(e);
            unlock();
            returned[e] = true;
            reclaim(e, r, pinned)
        :: else ->
            d_step {
                if
                :: key == 2 && free_[3] -> e = 3
                :: key == 1 && free_[1] -> e = 1
                :: key == 1 && !free_[1] && free_[2] -> e = 2
                :: else -> e = 0
                fi
            }
            if
            :: e != 0 -> store(e)
            :: else
            fi;
            unlock()
        fi;
        round++
    od
}

init
{
    atomic {
        /* Key 1 lies in front of key 2, whose entry shifts when key 1 goes. */
        free_[1] = false;
        free_[3] = false;
        slot[0] = 1;
        slot[1] = 3;
        run reader(0, 1);
        run reader(1, 2);
        run writer(1);
        run writer(2)
    }
}
