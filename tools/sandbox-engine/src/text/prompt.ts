const FNV_PRIME = 0x01000193;

/** Counts and hashes a prompt in one pass over each of its texts. */
export class PromptReading {
  /** The number of words of all texts, split as by `text.trim().split(/\s+/)`. */
  words = 0;

  /** `hash` is initially the model's seed, so that each model has different answers. */
  constructor(public hash: number) {}

  read(text: string): void {
    let { hash, words } = this;
    let insideWord = false;
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      hash = Math.imul(hash ^ code, FNV_PRIME);
      if (isSpace(code)) {
        insideWord = false;
      } else if (!insideWord) {
        insideWord = true;
        words += 1;
      }
    }
    this.hash = hash >>> 0;
    this.words = words;
  }

  /** Reads a list of token ids. Each counts as one word. */
  readTokens(tokens: readonly number[]): void {
    for (const token of tokens) this.hash = Math.imul(this.hash ^ token, FNV_PRIME) >>> 0;
    this.words += tokens.length;
  }
}

const WIDE_SPACES = new Set([0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]);

function isSpace(code: number): boolean {
  if (code < 0xa0) return code === 32 || (code >= 9 && code <= 13);
  return WIDE_SPACES.has(code) || (code >= 0x2000 && code <= 0x200a);
}
