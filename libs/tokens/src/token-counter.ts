import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** The tokenizer needs quadratic time for text without word breaks; slices keep it linear. */
const SLICE_CHARS = 256;
/** Longest text that is counted; the rest is extrapolated. Measured: the worst text of this length blocks the event loop for 20 ms. */
const SAMPLE_CHARS = 8_192;

/**
 * Estimates the tokens of a text in OpenAI's o200k vocabulary, for upstreams that report no usage. Extrapolates long texts from
 * their beginning.
 */
export function estimateTokens(text: string): number {
  const sample = text.slice(0, SAMPLE_CHARS);
  let tokens = 0;
  for (let start = 0; start < sample.length; start += SLICE_CHARS) {
    tokens += countTokens(sample.slice(start, start + SLICE_CHARS), { disallowedSpecial: new Set() });
  }
  return text.length > sample.length ? Math.ceil((tokens * text.length) / sample.length) : tokens;
}

/** The first text without word breaks takes 150 ms of processor time, which a request must not wait for. */
const FIRST_CHAR = 0x4e00;
estimateTokens(String.fromCharCode(...Array.from({ length: SLICE_CHARS }, (_, i) => FIRST_CHAR + 77 * i)));
