import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** The tokenizer needs quadratic time for text without word breaks; slices keep it linear. */
const SLICE_CHARS = 256;
/** Longest text that is counted; of a longer one a sample is. Measured: the worst text of this length blocks the event loop for 20 ms. */
const SAMPLE_CHARS = 8_192;
const SLICES = SAMPLE_CHARS / SLICE_CHARS;

const tokensOf = (slice: string): number => countTokens(slice, { disallowedSpecial: new Set() });

/**
 * Estimates the tokens of texts that follow each other on lines of their own, in OpenAI's o200k vocabulary, for upstreams that report
 * no usage. Of long texts it counts slices from all of their parts, at places that nobody can foresee: text that is cheap to count, put
 * where it counts, would hide the rest.
 */
export function estimateTokens(texts: string | readonly string[]): number {
  const lines = typeof texts === 'string' ? [texts] : texts;
  const length = lines.reduce((sum, line) => sum + line.length + 1, -1);
  if (length > SAMPLE_CHARS) {
    const tokens = randomSlices(lines, length).reduce((sum, slice) => sum + tokensOf(slice), 0);
    return Math.ceil((tokens * length) / SAMPLE_CHARS);
  }
  const text = lines.join('\n');
  let tokens = 0;
  for (let start = 0; start < length; start += SLICE_CHARS) {
    tokens += tokensOf(text.slice(start, start + SLICE_CHARS));
  }
  return tokens;
}

/** A slice from each of equal parts of the lines. They are not joined: that would copy megabytes. */
function randomSlices(lines: readonly string[], length: number): string[] {
  const partChars = length / SLICES;
  const starts = Array.from({ length: SLICES }, (_, part) =>
    Math.floor(part * partChars + Math.random() * (partChars - SLICE_CHARS)),
  );
  const slices: string[] = [];
  let lineStart = 0;
  for (let index = 0; slices.length < SLICES; index++) {
    const lineEnd = lineStart + lines[index]!.length + 1;
    while (slices.length < SLICES && starts[slices.length]! < lineEnd)
      slices.push(sliceAt(lines, index, starts[slices.length]! - lineStart));
    lineStart = lineEnd;
  }
  return slices;
}

function sliceAt(lines: readonly string[], index: number, start: number): string {
  let slice = lines[index]!.slice(start, start + SLICE_CHARS);
  for (let next = index + 1; slice.length < SLICE_CHARS && next < lines.length; next++)
    slice += `\n${lines[next]!.slice(0, SLICE_CHARS)}`;
  return slice.slice(0, SLICE_CHARS);
}

/** The first text without word breaks takes 150 ms of processor time, which a request must not wait for. */
const FIRST_CHAR = 0x4e00;
estimateTokens(String.fromCharCode(...Array.from({ length: SLICE_CHARS }, (_, i) => FIRST_CHAR + 77 * i)));
