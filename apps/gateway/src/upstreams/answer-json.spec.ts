import { longestTurnOf } from '@inference/testing';
import { readAnswer, readVectors } from './answer-json';

/** A little more than what is read at once. */
const LONG_BYTES = 5 * 2 ** 20;
/** As many vectors as OpenAI admits at once are longer still. */
const LONGEST_BYTES = 30 * 2 ** 20;
/** What is read at once in some 80 ms. */
const PARSED = JSON.stringify('"'.repeat(15_000_000));
const MOST_PART = 0.5;

const list = (count: number, entry: string) => `[${Array(count).fill(entry).join(',')}]`;
const filled = (entry: string, bytes: number) => list(Math.floor(bytes / (entry.length + 1)), entry);
const bytesOf = (text: string) => Buffer.from(text);
const same = (answer: unknown) => answer as object | null;

const USAGE = '"usage":{"prompt_tokens":5,"total_tokens":5}';
const vector = `{"object":"embedding","embedding":${list(3_072, '-0.012345678')}}`;
const vectors = (bytes: number) => filled(vector, bytes);
const images = (bytes: number) =>
  `{"created":1,"data":${list(10, `{"b64_json":"${'A'.repeat(bytes / 10)}"}`)},${USAGE}}`;
const probabilities = (bytes: number) =>
  `{"choices":[{"logprobs":{"content":${filled('{"token":"a","logprob":-0.1,"bytes":[97],"top_logprobs":[]}', bytes)}}}],${USAGE}}`;
const UNREAD = new Set(['logprobs', 'embedding', 'b64_json']);
const withoutUnread = (text: string) =>
  JSON.parse(text, (name, value: unknown) => (UNREAD.has(name) ? undefined : value)) as unknown;
const VECTORS = vectors(LONG_BYTES);

describe('a long answer', () => {
  it.each([
    ['more names and values than a request may have', readAnswer, `{"x":${filled('{"a":[]}', LONG_BYTES)}}`],
    ['vectors without a usage', readVectors, `{"data":${VECTORS}}`],
    ['a list before the vectors', readVectors, `{"x":[1],"data":${VECTORS},${USAGE}}`],
    ['a list after the vectors', readVectors, `{"data":${VECTORS},"x":[1]}`],
  ])('with %s is read as JSON', async (_what, read, text) => {
    expect(await read(bytesOf(text), same)).toEqual(withoutUnread(text));
  });

  it.each([
    ['images', images],
    ['log probabilities', probabilities],
  ])('is read without its %s', async (_what, textOf) => {
    expect(await readAnswer(bytesOf(textOf(LONG_BYTES)), same)).toEqual(withoutUnread(textOf(1_000)));
    const short = bytesOf(textOf(1_000));
    expect(await readAnswer(short, same)).toEqual(JSON.parse(short.toString()));
  });

  it.each([
    ['behind them', `{"object":"list","data":${VECTORS},"model":"m",${USAGE}}`],
    ['before them', `{${USAGE},"object":"list","data":${VECTORS},"model":"m"}`],
  ])('with vectors is what is beside them, with the usage %s', (_where, text) => {
    expect(readVectors(bytesOf(text), same)).toEqual({ ...(JSON.parse(text) as object), data: [] });
  });

  it.each([readAnswer, readVectors])('that is no JSON is told so', async (read) => {
    for (const text of [
      `{"data":${VECTORS}`,
      `<html>${' '.repeat(LONG_BYTES)}`,
      `{"data":${VECTORS},"usage"}`,
    ])
      expect(await read(bytesOf(text), (answer) => (answer === undefined ? 'none' : 'some'))).toBe('none');
  });

  it.each([
    ['images', readAnswer, images(LONGEST_BYTES)],
    ['log probabilities', readAnswer, probabilities(LONGEST_BYTES)],
    ['vectors', readVectors, `{"data":${vectors(LONGEST_BYTES)},${USAGE}}`],
  ])('with %s holds the thread for a short time', async (_what, read, text) => {
    const bytes = bytesOf(text);
    const part = await longestTurnOf(
      async () => read(bytes, same),
      () => JSON.parse(PARSED) as unknown,
      MOST_PART,
    );
    expect(part).toBeLessThan(MOST_PART);
  });
});
