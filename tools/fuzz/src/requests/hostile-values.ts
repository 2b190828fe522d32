import fc from 'fast-check';

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

/** Values that no field of a sound client has. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    1e21,
    Number.MAX_SAFE_INTEGER + 1,
    '',
    ' ',
    '\0',
    '\ud800',
    'x'.repeat(5_000),
    // As long as six digits are, but with more bytes.
    '１２３４５６',
    '../../etc/passwd',
    "'; DROP TABLE accounts; --",
    [],
    {},
    [[]],
    { length: 1 },
    { toString: 1 },
    nested(90),
    nested(2_000),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue(),
);

/** Bodies that are not what the content type says. */
export const brokenBodies: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '{',
    '',
    'null',
    '1',
    '"text"',
    '[]',
    '{"__proto__":{"role":"admin"}}',
    '{"constructor":{"prototype":{}}}',
    '{"a":1e400}',
    '{"amount":4.999999999999999999}',
    '['.repeat(20_000) + ']'.repeat(20_000),
    '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
    '{"name":"\\ud800"}',
    '{"name":"\\u0000"}',
    `{"name":"${'x'.repeat(100_000)}"}`,
  ),
  fc.string({ unit: 'binary', maxLength: 50 }),
);
