import fc from 'fast-check';
import { jsonWeight, valueWeight } from './json-weight';

const weigh = (json: string) => jsonWeight(Buffer.from(json));

/** The same JSON with spaces between its tokens and escapes for its characters. */
function rewritten(json: string, space: string, isEscaped: (index: number) => boolean): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[^"]/g, (token, index: number) => {
    if (!token.startsWith('"')) return /[[\]{},:]/.test(token) ? space + token + space : token;
    const text = JSON.parse(token) as string;
    const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
    const escaped = codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('');
    return isEscaped(index) ? `"${escaped}"` : token;
  });
}

it('is that of the value, however it is written', () => {
  const texts = fc.string({
    unit: fc.constantFrom('"', '\\', '/', '\n', '\u0001', 'a', 'é', '海', '\u{1f30a}'),
  });
  const json = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 4 });
  fc.assert(
    fc.property(
      fc.oneof(json, fc.dictionary(texts, texts)),
      fc.constantFrom('', ' ', '\r\n\t'),
      (value, space) => {
        const text = JSON.stringify(value);
        expect(weigh(text)).toBe(valueWeight(JSON.parse(text)));
        for (const isEscaped of [() => true, (index: number) => index % 2 === 0])
          expect(weigh(rewritten(text, space, isEscaped))).toBe(weigh(text));
      },
    ),
    { numRuns: 2_000 },
  );
});

it.each([
  ['a name twice', `{"a":"${'x'.repeat(100)}","a":""}`, 4 + 2 * 4 + 100 + 4],
  ['short values', '[1,"",true,[],{}]', 6 * 4],
  ['long ones', '["ab cd ef","海港",12345.6789]', 4 + 8 + 6 + 10],
])('counts %s', (_, json, weight) => {
  expect(weigh(json)).toBe(weight);
});

it.each(['"', '\\', '\u0001', 'a', 'é', '海', ' '])('counts a long text of %j in steps', (character) => {
  for (let shift = 0; shift < 8; shift++) {
    const text = 'x'.repeat(shift) + character.repeat(70_000);
    const value = { [text]: [1, text, { a: null }], b: [] };
    expect(weigh(JSON.stringify(value))).toBe(valueWeight(value));
    expect(weigh(`${' '.repeat(70_000 + shift)}${JSON.stringify(value)} `)).toBe(valueWeight(value));
  }
});
