import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { readJson, readJsonInSlices } from './json-reader';
import { AT_ONCE_BYTES } from './slices';
import { ENTRIES, EVERY, UniqueNames } from './unique-names';
import { JSON_LIMITS } from './json-scanner';

const read = (text: string | Buffer) => readJson(Buffer.from(text)).value;
const spaces = (count: number) => ' '.repeat(count);
const faultOf = (text: string, names?: UniqueNames) => {
  try {
    readJson(Buffer.from(text), { names });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It was not refused.');
};

/** What JSON.parse makes of a text; undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
const readOrNone = (text: string): unknown => {
  try {
    return read(text);
  } catch {
    return undefined;
  }
};

const LONG = AT_ONCE_BYTES + 1;
/** The same value, long enough to be built in pieces. */
const inPieces = (text: string) => readJsonInSlices(Buffer.from(spaces(LONG) + text));

describe('reading JSON', () => {
  it('accepts what JSON.parse accepts, and nothing else', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        '\\u',
        '\\n',
        'd83d',
        '00',
        '0',
        '1',
        '-',
        '.',
        'e',
        'E',
        '+',
      ],
      ...[
        'true',
        'false',
        'null',
        'nul',
        ' ',
        '\n',
        '\t',
        '\u0001',
        'a',
        '漢',
        '😀',
        '"a"',
        '"a":1',
        '{}',
        '[]',
        ',1',
      ],
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.json(),
      fc.tuple(fc.json(), fc.nat(), piece).map(([json, at, other]) => {
        const index = at % (json.length + 1);
        return json.slice(0, index) + other + json.slice(index + 1);
      }),
    );
    fc.assert(
      fc.property(text, (json) => expect(readOrNone(json)).toEqual(parsed(Buffer.from(json).toString()))),
      { numRuns: 2_000 },
    );
  });

  it('builds the same value in pieces', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('x'.repeat(100_000), '漢😀'.repeat(30_000), '\\"\n'.repeat(50_000), '__proto__'),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(null, true, 0),
        fc.constantFrom(Array.from({ length: 10_000 }, (_, i) => (i % 2 ? { a: i } : []))),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          text.filter((name) => name.length < 20_000),
          tie('value'),
          { maxKeys: 4 },
        ),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(0, 1), async (sample, indent) => {
        const json = JSON.stringify(sample, null, indent);
        // Jest's own comparison takes seconds.
        const isSame = (value: unknown) => isDeepStrictEqual(value, JSON.parse(json));
        expect(isSame((await inPieces(json)).value)).toBe(true);
        expect(isSame(readJson(Buffer.from(spaces(LONG) + json)).value)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ['spaces between entries', `[1,${spaces(400_000)}2]`],
    ['spaces in an empty list', `[[${spaces(400_000)}]]`],
    ['spaces before a value', `{"a":${spaces(400_000)}1,"b":2}`],
    ['long names', `{"${'n'.repeat(60_000)}":1,"${'m'.repeat(60_000)}":{}}`],
    ['a name like that of the prototype', `{"a":"${'x'.repeat(200_000)}","__proto__":{"b":1}}`],
    ['halves of a pair as escapes', `["${'\\ud83d\\ude00'.repeat(40_000)}"]`],
  ])('builds %s', async (_what, json) => {
    expect((await inPieces(json)).value).toEqual(JSON.parse(json));
  });

  it('leaves members out of a long text', async () => {
    const options = { leftOut: new UniqueNames({ a: {}, long: {} }), hasManyValues: true };
    const leaf = fc.constantFrom<unknown>('a', 1, [], {}, 'x'.repeat(100_000), Array(10_000).fill({ a: 1 }));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'long'), tie('value')),
      ),
    }));
    const without = (sample: unknown): unknown =>
      JSON.parse(
        JSON.stringify(sample, (name, one: unknown) => (name === 'a' || name === 'long' ? undefined : one)),
      );
    await fc.assert(
      fc.asyncProperty(value, async (sample) => {
        const json = JSON.stringify({ sample });
        const read = await readJsonInSlices(Buffer.from(spaces(LONG) + json), options);
        expect(isDeepStrictEqual(read.value, without({ sample }))).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('refuses a fault in what it leaves out', async () => {
    const leftOut = new UniqueNames({ a: {} });
    for (const json of ['{"a":[1,}', '{"a":{"b" 1}}', '{"a":"\\x"}', '{"a":[}'])
      await expect(readJsonInSlices(Buffer.from(spaces(LONG) + json), { leftOut })).rejects.toThrow(
        'valid JSON',
      );
  });

  it.each([
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['half a character', Buffer.from([0x22, 0xe6, 0xbc])],
    ['a byte order mark', Buffer.from('\ufeff1')],
    ['nothing', Buffer.alloc(0)],
  ])('refuses %s', (_what, bytes) => {
    expect(() => readJson(bytes)).toThrow('the body is not valid JSON');
  });

  it('refuses what exceeds a limit, and takes what just reaches it', () => {
    const { depth, names, values, tokenBytes } = JSON_LIMITS;
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const object = (count: number) => `{${Array.from({ length: count }, (_, i) => `"${i}":1`).join()}}`;
    const list = (count: number) => `[${'0,'.repeat(count - 2)}0]`;
    const name = (bytes: number) => `{"${'n'.repeat(bytes - 2)}":1}`;
    for (const [make, limit, message] of [
      [nested, depth, 'the body must not be nested more than 100 levels deep'],
      [object, names, 'the body must not have more than 100000 names'],
      [list, values, 'the body must not have more than 1000000 values'],
      [name, tokenBytes, 'the body must not have names or numbers of more than 65536 bytes'],
      [(digits: number) => '1'.repeat(digits), tokenBytes, 'the body must not have names or numbers of more'],
    ] as const) {
      expect(() => read(make(limit))).not.toThrow();
      expect(faultOf(make(limit + 1))).toContain(message);
    }
  });

  it('refuses too much before it has read the rest', () => {
    expect(faultOf(`[${'0,'.repeat(JSON_LIMITS.values)}${'x'.repeat(100)}`)).toContain(
      'more than 1000000 values',
    );
    expect(faultOf('['.repeat(5_000_000))).toContain('more than 100 levels');
    for (const start of ['', '1.'])
      expect(faultOf(`${start}${'7'.repeat(JSON_LIMITS.tokenBytes + 1)}7e`)).toContain(
        'names or numbers of more',
      );
  });
});

describe('unique names', () => {
  const names = new UniqueNames({ model: {}, options: { usage: {} }, list: { [ENTRIES]: { content: {} } } });
  const membersOf = (text: string) =>
    readJson(Buffer.from(text), { names }).members.map(({ name, start, end }) => [
      name,
      text.slice(start, end),
    ]);

  it.each([
    ['{"model":"a","model":"a"}', 'model'],
    ['{"model":1,"x":2,"mo\\u0064el":3}', 'model'],
    ['{"\\u006d\\u006f\\u0064\\u0065\\u006c":1,"model":3}', 'model'],
    ['{"options":{"usage":1,"usage":2}}', 'options.usage'],
    ['{"list":[{"content":1},{"content":1,"x":[1,{}],"content":2}]}', 'list.1.content'],
  ])('are refused twice in %s', (text, path) => {
    expect(faultOf(text, names)).toBe(`${path}: must be given once`);
  });

  it.each([
    '{"x":1,"x":2}',
    '{"x":{"model":1,"model":2}}',
    '{"options":[{"usage":1,"usage":2}]}',
    '{"usage":1,"usage":2,"content":3,"content":4}',
    '{"list":{"content":1,"content":2}}',
    '{"list":[[{"content":1,"content":2}]],"options":{"usage":{"usage":1}}}',
    '[{"model":1,"model":2}]',
    '{"model ":1,"model":2,"Model":3}',
  ])('pass in %s', (text) => {
    expect(readJson(Buffer.from(text), { names }).value).toEqual(JSON.parse(text));
  });

  it('are all names of a value, at any depth', () => {
    const every = new UniqueNames({ all: { [EVERY]: true }, one: {} });
    const faults: [text: string, path: string][] = [
      ['{"all":{"a":1,"a":2}}', 'all.a'],
      ['{"all":[1,[{"a":1},{"b":{"a":1,"\\u0061":2}}]]}', 'all.1.1.b.a'],
      ['{"all":{"é":1,"\\u00e9":2}}', 'all.é'],
      ['{"all":{"":1,"":2}}', 'all.'],
      ['{"all":1,"all":2}', 'all'],
    ];
    for (const [text, path] of faults) expect(faultOf(text, every)).toBe(`${path}: must be given once`);
    for (const text of [
      '{"all":{"a":{"a":1},"b":[{"a":1},{"a":1}],"all":1}}',
      '{"one":{"a":1,"a":2},"x":1,"x":2}',
    ])
      expect(readJson(Buffer.from(text), { names: every }).value).toEqual(JSON.parse(text));
    const many = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`n${i}`, i]));
    expect(readJson(Buffer.from(JSON.stringify({ all: many })), { names: every }).value).toEqual({
      all: many,
    });
  });

  it('are found with their values', async () => {
    const text = `{ "x":1,"model" : "m", "list":[{"content":"${'a'.repeat(200_000)}"}],"opt\\u0069ons":null}`;
    const expected = [
      ['model', '"m"'],
      ['list', text.slice(text.indexOf('['), text.indexOf(']') + 1)],
      ['options', 'null'],
    ];
    expect(membersOf(text)).toEqual(expected);
    const { members, otherNames, value } = await readJsonInSlices(Buffer.from(text), { names });
    expect(members.map(({ name, start, end }) => [name, text.slice(start, end)])).toEqual(expected);
    expect(otherNames).toEqual(['x']);
    expect(Object.keys(value as object)).toEqual(['model', 'list', 'options']);
  });

  it('leaves the values of other names of a long text unparsed', async () => {
    const other = `"other":[${'{"a":"b"},'.repeat(30_000)}1]`;
    for (const text of [
      `{${other},"model":"m"}`,
      `{"model":"m",${other}}`,
      `{"model":"m",${other},"options":{}}`,
    ]) {
      const { value } = await readJsonInSlices(Buffer.from(text), { names });
      const { other: _other, ...rest } = JSON.parse(text) as Record<string, unknown>;
      expect(value).toEqual(rest);
    }
    await expect(
      readJsonInSlices(Buffer.from(`{"other":[${'1,'.repeat(100_000)}01],"model":"m"}`), { names }),
    ).rejects.toThrow('the body is not valid JSON');
  });
});

it('a message repeats little of a long path', () => {
  const names = new UniqueNames({ a: { b: {} } });
  const long = 'n'.repeat(60_000);
  expect(faultOf('{"a":{"b":1,"b":2}}', names)).toBe('a.b: must be given once');
  expect(() =>
    readJson(Buffer.from(`{"${long}":{"${long}":1e400}}`), { refuseInexactNumbers: true }),
  ).toThrow(/^n{100}…: must not have more digits/);
});
