// The Mersenne Twister (Matsumoto and Nishimura 1998), of which NumPy and PyTorch make the random numbers of a seed: a stream of words of 32 bits.

export function twister(seed) {
  const state = new Uint32Array(624)
  state[0] = seed
  for (let i = 1; i < 624; i++) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i
  let at = 624
  return () => {
    if (at === 624) at = renewed(state)
    let y = state[at++]
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return (y ^ (y >>> 18)) >>> 0
  }
}

/** Makes the next 624 words, and returns the place of the first. */
function renewed(state) {
  for (let i = 0; i < 624; i++) {
    const y = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff)
    state[i] = state[(i + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
  }
  return 0
}
