import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** The tokenizer's time grows with the square of a run without breaks; slices keep it linear. */
const SLICE_CHARS = 512;
/** Counting holds up every other request: 30 ms for this much of the worst text. */
const SAMPLE_CHARS = 8_192;

/**
 * An estimate for upstreams that report no usage: tokens of the text in OpenAI's o200k vocabulary. A long text is
 * taken to go on as densely as it begins.
 */
export function estimateTokens(text: string): number {
  const sample = text.slice(0, SAMPLE_CHARS);
  let tokens = 0;
  for (let start = 0; start < sample.length; start += SLICE_CHARS) {
    tokens += countTokens(sample.slice(start, start + SLICE_CHARS), { disallowedSpecial: new Set() });
  }
  return text.length > sample.length ? Math.ceil((tokens * text.length) / sample.length) : tokens;
}
