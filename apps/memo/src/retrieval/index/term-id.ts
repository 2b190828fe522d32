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

const HIGH_SEED = 0xdeadbeef | 0;
const LOW_SEED = 0x41c6ce57;
const HIGH_FACTOR = 2_654_435_761;
const LOW_FACTOR = 1_597_334_677;

/** Writes the halves of the id of a term to `termHash`: returning them would allocate an object for each. */
export function hashTerm(term: string): void {
  let high = HIGH_SEED;
  let low = LOW_SEED;
  for (let i = 0; i < term.length; i++) {
    const code = term.charCodeAt(i);
    high = Math.imul(high ^ code, HIGH_FACTOR);
    low = Math.imul(low ^ code, LOW_FACTOR);
  }
  writeHash(high, low);
}

/** Like `hashTerm` of a term of one code unit. Most terms of Chinese texts have one or two; as strings they take longer. */
export function hashCharacter(code: number): void {
  writeHash(Math.imul(HIGH_SEED ^ code, HIGH_FACTOR), Math.imul(LOW_SEED ^ code, LOW_FACTOR));
}

/** Like `hashTerm` of a term of two code units. */
export function hashPair(first: number, second: number): void {
  writeHash(
    Math.imul(Math.imul(HIGH_SEED ^ first, HIGH_FACTOR) ^ second, HIGH_FACTOR),
    Math.imul(Math.imul(LOW_SEED ^ first, LOW_FACTOR) ^ second, LOW_FACTOR),
  );
}

function writeHash(high: number, low: number): void {
  termHash.high =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  termHash.low =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
}

export const joinTermId = (high: number, low: number): bigint => (BigInt(high) << 32n) | BigInt(low >>> 0);

export const splitTermId = (id: bigint): [high: number, low: number] => [
  Number(id >> 32n),
  Number(BigInt.asIntN(32, id)),
];

/** Compares ids by their halves, in the order of joinTermId. */
export const compareTermIds = (high: number, low: number, otherHigh: number, otherLow: number): number =>
  high - otherHigh || (low >>> 0) - (otherLow >>> 0);
