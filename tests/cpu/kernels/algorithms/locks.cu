// Spin locks between the lanes of a warp, between warps and between blocks. What they guard is not atomic.

// Every lane takes the same lock, and leaves the loop when it has been inside.
extern "C" __global__ void lane_lock(int* lock, volatile int* count) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *count += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// The naive form, which hung before threads of a warp were scheduled independently: lanes wait while others hold it.
extern "C" __global__ void naive_lane_lock(int* locks, volatile int* balances, int accounts) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = i % accounts, to = (i * 7 + 1) % accounts;
    if (from == to) return;
    const int first = min(from, to), second = max(from, to);
    while (atomicCAS(&locks[first], 0, 1) != 0) {}
    while (atomicCAS(&locks[second], 0, 1) != 0) {}
    __threadfence();
    balances[from] -= i % 13;
    balances[to] += i % 13;
    __threadfence();
    atomicExch(&locks[second], 0);
    atomicExch(&locks[first], 0);
}

// Warps of a block pass through a ticket lock in shared memory in the order of their tickets.
extern "C" __global__ void warp_lock(int* sums, int rounds) {
    __shared__ unsigned next_ticket, serving;
    __shared__ volatile int inside, sum;
    if (threadIdx.x == 0) next_ticket = serving = 0, inside = 0, sum = 0;
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
        __syncwarp();
        if (threadIdx.x % 32 != 0) continue;
        const unsigned ticket = atomicAdd(&next_ticket, 1);
        while (atomicAdd(&serving, 0) != ticket) {}
        inside = inside + 1;
        sum = sum + inside * (threadIdx.x / 32 + 1);  // inside is 1 unless two warps are in
        inside = inside - 1;
        __threadfence_block();
        atomicAdd(&serving, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Blocks append to a list under a lock; a thread waits with nanosleep, the others at the block's barrier.
extern "C" __global__ void block_lock(int* lock, volatile int* length, volatile int* list) {
    __shared__ int place;
    if (threadIdx.x == 0) {
        unsigned wait = 8;
        while (atomicCAS(lock, 0, 1) != 0) {
            __nanosleep(wait);
            if (wait < 256) wait *= 2;
        }
        __threadfence();
        place = *length;
        *length = place + blockDim.x;
    }
    __syncthreads();
    list[place + threadIdx.x] = blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(lock, 0);
}
