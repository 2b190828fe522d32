import { estimateTokens } from './token-counter';

describe('estimateTokens', () => {
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

  it('looks at a bounded part of a text that is hard to count', () => {
    const hard = Array.from({ length: 1_000_000 }, (_, i) =>
      String.fromCharCode(0x4e00 + ((i * 7_919) % 20_000)),
    ).join('');
    const before = process.cpuUsage();
    expect(estimateTokens(hard)).toBeGreaterThan(1_000_000);
    const { user } = process.cpuUsage(before);
    // Counting all of it takes tens of seconds.
    expect(user / 1e6).toBeLessThan(3);
  });
});
