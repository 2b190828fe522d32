import { idMillis, newId, randomBase62 } from './id';

describe('newId', () => {
  it('has the prefix, eight digits of time and fourteen random digits', () => {
    expect(newId('acct')).toMatch(/^acct_[0-9A-Za-z]{22}$/);
  });

  it('sorts by bytes in the order of creation', () => {
    const now = jest.spyOn(Date, 'now');
    // Every carry of the time digits, from today to a thousand years ahead.
    const times = [0, 1, 61, 62, 3_843, 3_844, 1.8e12, 1.8e12 + 1, 1.8e12 + 62, 33e12];
    const ids = times.map((time) => {
      now.mockReturnValue(time);
      return newId('x');
    });
    now.mockRestore();
    const bytewise = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(bytewise).toEqual(ids);
    expect(new Set(ids.map((id) => id.length)).size).toBe(1);
  });

  it('returns no id twice', () => {
    const ids = Array.from({ length: 20_000 }, () => newId('x'));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('idMillis', () => {
  it('is the millisecond in which the id was made', () => {
    const now = jest.spyOn(Date, 'now');
    const times = [0, 61, 3_844, 1_800_000_000_001, 33_000_000_000_000];
    const found = times.map((time) => {
      now.mockReturnValue(time);
      return idMillis(newId('req'));
    });
    now.mockRestore();
    expect(found).toEqual(times);
  });

  it.each([
    '',
    'req_',
    'req_1',
    'req_0Vc3kZ8dQ1mXw7RtYb2Ls',
    'req_0Vc3kZ8dQ1mXw7RtYb2Ls-',
    '0Vc3kZ8dQ1mXw7RtYb2LsA',
  ])('is null for "%s"', (text) => expect(idMillis(text)).toBeNull());
});

describe('randomBase62', () => {
  it.each([0, 1, 30, 1_000])('has %d digits', (length) => {
    expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });

  it('is uniformly distributed', () => {
    const counts = new Map<string, number>();
    for (const digit of randomBase62(620_000)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // Expected: 10,000 of each digit; six standard deviations are 600. Bytes modulo 62 would deviate by 2,000.
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(800);
  });
});
