/** The halves of the id that `hashTerm` was called for last. */
export const termHash = { high: 0, low: 0 };

/**
 * The id of a term: a 64-bit hash of its text. Terms with equal hashes match each other. Indexing works on its two halves,
 * signed integers of 32 bits each, because it hashes and compares millions of ids.
 */
export function termId(term: string): bigint {
  hashTerm(term);
  return joinTermId(termHash.high, termHash.low);
}

/** Writes the halves of the id of a term to `termHash`: returning them would allocate an object for each. */
export function hashTerm(term: string): void {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < term.length; i++) {
    const code = term.charCodeAt(i);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  const first = high;
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(first ^ (first >>> 13), 3_266_489_909);
  termHash.high = high;
  termHash.low = low;
}

export const joinTermId = (high: number, low: number): bigint => (BigInt(high) << 32n) | BigInt(low >>> 0);

export const splitTermId = (id: bigint): [high: number, low: number] => [
  Number(id >> 32n),
  Number(BigInt.asIntN(32, id)),
];

/** Compares ids by their halves, in the order of joinTermId. */
export const compareTermIds = (high: number, low: number, otherHigh: number, otherLow: number): number =>
  high - otherHigh || (low >>> 0) - (otherLow >>> 0);
