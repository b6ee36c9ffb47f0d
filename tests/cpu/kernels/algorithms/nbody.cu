// All-pairs gravitation: every block walks through all bodies in tiles that lie in shared memory.

struct Physics {
    float softening_squared, step;
};

__constant__ Physics physics;

__device__ __forceinline__ float3 pull(float3 sum, float4 body, float4 other) {
    const float x = other.x - body.x, y = other.y - body.y, z = other.z - body.z;
    const float inverse = rsqrtf(x * x + y * y + z * z + physics.softening_squared);
    const float strength = other.w * inverse * inverse * inverse;
    return make_float3(sum.x + x * strength, sum.y + y * strength, sum.z + z * strength);
}

extern "C" __global__ void advance(const float4* bodies, float4* moved, float4* velocities, int count) {
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 body = i < count ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 force = make_float3(0, 0, 0);
    for (int first = 0; first < count; first += blockDim.x) {
        const int other = first + threadIdx.x;
        tile[threadIdx.x] = other < count ? bodies[other] : make_float4(0, 0, 0, 0);  // without mass: no force
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < blockDim.x; ++k) force = pull(force, body, tile[k]);
        __syncthreads();
    }
    if (i >= count) return;
    float4 v = velocities[i];
    v.x += force.x * physics.step;
    v.y += force.y * physics.step;
    v.z += force.z * physics.step;
    velocities[i] = v;
    const float step = physics.step;
    moved[i] = make_float4(body.x + v.x * step, body.y + v.y * step, body.z + v.z * step, body.w);
}
