/** Numbers in [0, 1) that are the same in every run (mulberry32), so that a failure can be seen again. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of the values, each as likely as its weight says. */
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
