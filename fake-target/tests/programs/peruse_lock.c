/* PERUSE 2.0, sections 5.2.16, 5.2.17 and 5.3: the lock, among threads and in callbacks; event
 * handles that several threads use. 1 rank or more. */
#include "peruse_test.h"
#include <pthread.h>
#include <sched.h>

enum {
    THREADS = 4,
    ROUNDS = 300
};
static volatile int counter, stage;
static int refused;

static void await(int wanted)
{
    while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != wanted)
        sched_yield();
}

static void enter_stage(int next)
{
    __atomic_store_n(&stage, next, __ATOMIC_RELEASE);
}

/* Mutual exclusion: no increment is lost. */
static int add_under_lock(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    (void)handle, (void)id, (void)spec, (void)param;
    int code = PERUSE_Lock();
    if (code == PERUSE_ERR_LOCK_NOT_GRANTABLE) {
        __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
        return MPI_SUCCESS;
    }
    CHECK_EQUAL(code, PERUSE_SUCCESS);
    int before = counter;
    for (volatile int i = 0; i < 20; i++) {
    }
    counter = before + 1;
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_SUCCESS);
    return MPI_SUCCESS;
}

static void *lock_and_add(void *argument)
{
    for (int i = 0; i < ROUNDS * 10; i++) {
        CHECK_EQUAL(PERUSE_Lock(), PERUSE_SUCCESS);
        int before = counter;
        for (volatile int j = 0; j < 20; j++) {
        }
        counter = before + 1;
        CHECK_EQUAL(PERUSE_Unlock(), PERUSE_SUCCESS);
    }
    return argument;
}

static void *communicate(void *argument)
{
    int tag = (int)(long)argument, value;
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv(&i, 1, MPI_INT, NEXT, tag, &value, 1, MPI_INT, PREVIOUS, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    return NULL;
}

/* 5.2.17: "if a thread attempts to unlock a mutex that it has not locked ... an error". */
static void *unlock_of_another(void *argument)
{
    await(1);
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_ERR_LOCK);
    enter_stage(2);
    /* 5.2.16: blocks until the lock is available. */
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_SUCCESS);
    CHECK_EQUAL(__atomic_load_n(&stage, __ATOMIC_ACQUIRE), 3);
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_SUCCESS);
    return argument;
}

/* A lock that the callback's own thread has cannot be granted, "for the entire life of the upcall".
 */
static int take_and_keep(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    (void)handle, (void)id, (void)spec, (void)param;
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_LOCK_NOT_GRANTABLE);
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Lock(),
                PERUSE_ERR_LOCK_NOT_GRANTABLE); /* free now, and still not for this callback */
    counter++;
    return MPI_SUCCESS;
}

static int take_once(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    (void)handle, (void)id, (void)spec, (void)param;
    CHECK_EQUAL(PERUSE_Lock(),
                PERUSE_SUCCESS); /* a refusal in another callback no longer matters */
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_SUCCESS);
    counter++;
    return MPI_SUCCESS;
}

static void in_one_thread(void)
{
    peruse_event_h first, second;
    PERUSE_Event_comm_register(PERUSE_COMM_REQ_ACTIVATE, MPI_COMM_SELF, take_and_keep, NULL,
                               &first);
    PERUSE_Event_comm_register(PERUSE_COMM_REQ_NOTIFY, MPI_COMM_SELF, take_once, NULL, &second);
    PERUSE_Event_activate(first);
    PERUSE_Event_activate(second);
    counter = 0;
    MPI_Sendrecv(NULL, 0, MPI_INT, 0, 0, NULL, 0, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK_EQUAL(counter, 4);
    PERUSE_Event_release(&first);
    PERUSE_Event_release(&second);
}

/* The owner waits in a function of PERUSE for the engine that the callback's thread has: without a
 * refusal both would wait for ever. */
static peruse_event_h handle_of_owner;

static void *owner(void *argument)
{
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_SUCCESS);
    enter_stage(11);
    await(12); /* the other thread is in its callback */
    int event;
    CHECK_EQUAL(PERUSE_Event_get(handle_of_owner, &event), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_SUCCESS);
    return argument;
}

static int meet_owner(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    (void)handle, (void)id, (void)spec, (void)param;
    enter_stage(12);
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_ERR_LOCK_NOT_GRANTABLE);
    counter++;
    return MPI_SUCCESS;
}

static void owner_needs_the_engine(void)
{
    pthread_t thread;
    PERUSE_Event_comm_register(PERUSE_COMM_REQ_ACTIVATE, MPI_COMM_SELF, meet_owner, NULL,
                               &handle_of_owner);
    PERUSE_Event_activate(handle_of_owner);
    counter = 0;
    pthread_create(&thread, NULL, owner, NULL);
    await(11);
    MPI_Request request;
    MPI_Isend(NULL, 0, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    pthread_join(thread, NULL);
    PERUSE_Event_release(&handle_of_owner);
    MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(counter, 1);
}

/* An owner that needs nothing: the callback waits for it and gets the lock. */
static void *quiet_owner(void *argument)
{
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_SUCCESS);
    enter_stage(21);
    await(22);
    for (int i = 0; i < 100; i++)
        sched_yield();
    counter = 100;
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_SUCCESS);
    return argument;
}

static int wait_for_owner(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    (void)handle, (void)id, (void)spec, (void)param;
    enter_stage(22);
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_SUCCESS);
    CHECK_EQUAL(counter, 100);
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_SUCCESS);
    return MPI_SUCCESS;
}

static void owner_is_waited_for(void)
{
    pthread_t thread;
    peruse_event_h handle;
    PERUSE_Event_comm_register(PERUSE_COMM_MSG_ARRIVED, MPI_COMM_SELF, wait_for_owner, NULL,
                               &handle);
    PERUSE_Event_activate(handle);
    pthread_create(&thread, NULL, quiet_owner, NULL);
    await(21);
    MPI_Sendrecv(NULL, 0, MPI_INT, 0, 0, NULL, 0, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
    PERUSE_Event_release(&handle);
}

/* 5.3: one thread makes a handle, a second opens its window, a third closes it and frees it. */
static peruse_event_h passed_on;
static int add(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    (void)handle, (void)id, (void)spec, (void)param;
    counter++;
    return MPI_SUCCESS;
}
static void *make(void *argument)
{
    CHECK_EQUAL(
        PERUSE_Event_comm_register(PERUSE_COMM_MSG_ARRIVED, MPI_COMM_SELF, add, NULL, &passed_on),
        PERUSE_SUCCESS);
    return argument;
}
static void *open(void *argument)
{
    CHECK_EQUAL(PERUSE_Event_activate(passed_on), PERUSE_SUCCESS);
    return argument;
}
static void *close(void *argument)
{
    CHECK_EQUAL(PERUSE_Event_deactivate(passed_on), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Event_release(&passed_on), PERUSE_SUCCESS);
    return argument;
}

static void in_a_thread(void *(*work)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}

/* Threads register and release while others communicate. */
static void *come_and_go(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        peruse_event_h handle;
        CHECK_EQUAL(
            PERUSE_Event_comm_register(1 + i % 16, MPI_COMM_WORLD, add_under_lock, NULL, &handle),
            PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_activate(handle), PERUSE_SUCCESS);
        sched_yield();
        CHECK_EQUAL(PERUSE_Event_release(&handle), PERUSE_SUCCESS);
    }
    return argument;
}

int main(void)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE); /* 5.3: the level is asked for from MPI */
    CHECK_EQUAL(PERUSE_Init(), PERUSE_SUCCESS);

    pthread_t threads[2 * THREADS];
    pthread_create(&threads[0], NULL, unlock_of_another, NULL);
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_SUCCESS);
    enter_stage(1);
    await(2);
    for (int i = 0; i < 100; i++)
        sched_yield();
    enter_stage(3);
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_SUCCESS);
    pthread_join(threads[0], NULL);

    in_one_thread();
    owner_needs_the_engine();
    owner_is_waited_for();
    counter = 0;
    in_a_thread(make);
    in_a_thread(open);
    MPI_Sendrecv(NULL, 0, MPI_INT, 0, 0, NULL, 0, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    in_a_thread(close);
    MPI_Sendrecv(NULL, 0, MPI_INT, 0, 0, NULL, 0, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK_EQUAL(counter, 1);
    CHECK_EQUAL(passed_on, PERUSE_EVENT_HANDLE_NULL);

    /* Callbacks in the threads that communicate, and threads that lock outside of MPI: the sum is
     * right. */
    peruse_event_h handle;
    PERUSE_Event_comm_register(PERUSE_COMM_REQ_NOTIFY, MPI_COMM_WORLD, add_under_lock, NULL,
                               &handle);
    PERUSE_Event_activate(handle);
    BARRIER();
    counter = 0;
    for (long i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, communicate, (void *)i);
        pthread_create(&threads[THREADS + i], NULL, lock_and_add, NULL);
    }
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQUAL(refused, 0);
    CHECK_EQUAL(counter, THREADS * ROUNDS * 2 + THREADS * ROUNDS * 10);
    PERUSE_Event_release(&handle);

    for (long i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, communicate, (void *)i);
        pthread_create(&threads[THREADS + i], NULL, come_and_go, NULL);
    }
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(threads[i], NULL);
    return end();
}
