/** Pseudo-random numbers in [0, 1) (mulberry32), the same in every run, so that a failure can be reproduced. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns one of the values, with a probability in proportion to its weight. */
export function weighted<T>(
  random: () => number,
  choices: readonly (readonly [weight: number, value: T])[],
): T {
  let at = random() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of choices) {
    at -= weight;
    if (at < 0) return value;
  }
  return choices.at(-1)![1];
}
