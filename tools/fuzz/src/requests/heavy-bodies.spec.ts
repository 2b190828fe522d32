import { HEAVY_BODIES, withNameTwice } from './bodies';

const UNFINISHED = ['deep objects that do not end', 'a text that does not end'];

it.each(Object.keys(HEAVY_BODIES))('makes %s of about the size', (kind) => {
  for (const bytes of [600, 60_000]) {
    const text = HEAVY_BODIES[kind]!(bytes);
    expect(text.length).toBeGreaterThan(bytes * 0.9);
    expect(text.length).toBeLessThan(bytes * 1.1 + 10_100);
    if (UNFINISHED.includes(kind)) expect(() => JSON.parse(text) as unknown).toThrow();
    else expect(() => JSON.parse(text) as unknown).not.toThrow();
  }
});

it('gives a name twice, in its own spelling, in capitals or with an escape', () => {
  const value = { model: 'a' };
  expect([0, 1, 2].map((at) => withNameTwice(value, 'b', at))).toEqual([
    '{"model":"b","model":"a"}',
    '{"model":"a","MODEL":"b"}',
    String.raw`{"\u006dodel":"b","model":"a"}`,
  ]);
  expect(withNameTwice({}, 1, 0)).toBe('{}');
  expect(withNameTwice([1], 1, 0)).toBe('[1]');
});
