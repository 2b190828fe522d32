import { timesAsLong } from '@inference/testing';
import { estimateTokens } from './token-counter';

/** Hard in different ways: for the pairs of the tokenizer, and for the expression that finds its words. */
const HARD: Record<string, string> = {
  letters: 'a'.repeat(100_000),
  capitals: 'A'.repeat(100_000),
  spaces: ' '.repeat(100_000),
  'spaces and lines': ' \n'.repeat(50_000),
  digits: '1'.repeat(100_000),
  signs: '!@#$%^&*()'.repeat(10_000),
  'accents of one letter': `a${'\u0301'.repeat(100_000)}`,
  'halves of pairs': '\ud800'.repeat(100_000),
};

describe('estimateTokens', () => {
  it.each(Object.keys(HARD))('takes no longer for %s than for words', async (kind) => {
    const words = 'word '.repeat(HARD[kind]!.length / 5);
    expect(estimateTokens(HARD[kind]!)).toBeGreaterThan(0);
    const mostTimes = 20;
    const times = await timesAsLong(
      () => estimateTokens(HARD[kind]!),
      () => estimateTokens(words),
      mostTimes,
    );
    expect(times).toBeLessThan(mostTimes);
  });

  it('counts words of a short text, special tokens being text like any other', () => {
    expect(estimateTokens('hello world')).toBe(2);
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('grows with the text, however long', () => {
    const short = estimateTokens('word '.repeat(1_000));
    const long = estimateTokens('word '.repeat(100_000));
    expect(long).toBeGreaterThan(short * 95);
    expect(long).toBeLessThan(short * 105);
  });

  it('counts lines as the text that they make', () => {
    expect(estimateTokens(['hello world', '', 'hello'])).toBe(estimateTokens('hello world\n\nhello'));
    expect(estimateTokens([])).toBe(0);
    const lines = Array.from({ length: 100_000 }, (_, i) => 'word '.repeat(i % 5));
    const counted = estimateTokens(lines) / estimateTokens(lines.join('\n'));
    expect(counted).toBeGreaterThan(0.9);
    expect(counted).toBeLessThan(1.1);
  });

  it('finds text that stands behind or before text that is cheap to count', () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `word${i % 7}`).join(' ');
    const cheap = ' '.repeat(8_192);
    const counted = estimateTokens(text);
    for (const padded of [cheap + text, text + cheap, cheap + text + cheap])
      expect(estimateTokens(padded)).toBeGreaterThan(0.7 * counted);
  });

  it('looks at a bounded part of a text that is hard to count', async () => {
    const hard = Array.from({ length: 1_000_000 }, (_, i) =>
      String.fromCharCode(0x4e00 + ((i * 7_919) % 20_000)),
    ).join('');
    expect(estimateTokens(hard)).toBeGreaterThan(1_000_000);
    const mostTimes = 5;
    const times = await timesAsLong(
      () => estimateTokens(hard),
      () => estimateTokens(hard.slice(0, 100_000)),
      mostTimes,
    );
    expect(times).toBeLessThan(mostTimes);
  });
});
