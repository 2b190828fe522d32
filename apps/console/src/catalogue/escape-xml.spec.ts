import * as fc from 'fast-check';
import { escapeXml, isXmlText } from './escape-xml';
import { textsOf } from './xmllint.fixture';

const SAMPLES = 2_000;
/** Any text, with special characters and lone surrogates over-represented. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('&', '<', '>', '"', "'", ']]>', '\r', '\n', '\t', ' ', '&amp;', '\u0085', '€'),
  }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
);

describe('escaped text in XML', () => {
  it('is parsed back unchanged if XML can represent it', async () => {
    const texts = fc.sample(anyText.filter(isXmlText), SAMPLES);
    expect(new Set(texts).size).toBeGreaterThan(SAMPLES / 3);
    const elements = texts.map((text) => `<t>${escapeXml(text)}</t>`);
    expect(await textsOf(`<all>${elements.join('\n')}</all>`, 't')).toEqual(texts);
  });

  it('stays well-formed if XML cannot represent it', async () => {
    const texts = fc.sample(anyText, SAMPLES);
    const elements = texts.map((text) => `<t a="${escapeXml(text)}">${escapeXml(text)}</t>`);
    const read = await textsOf(`<all>${elements.join('')}</all>`, 't');
    expect(read.map((text) => text.length)).toEqual(texts.map((text) => text.length));
  });

  it.each(['\0', '\u0001', '\b', '\v', '\f', '\u001f', '\ufffe', '\uffff', '\ud800', '\udc00a'])(
    'cannot represent %j',
    (character) => {
      expect(isXmlText(`a${character}b`)).toBe(false);
      expect(escapeXml(`a${character[0]}b`)).toBe('a\ufffdb');
    },
  );

  it.each(['\t', '\n', '\r', ' ', '\u007f', '\u0085', '\ue000', '\ufffd', '😀', '\u{10ffff}'])(
    'can represent %j',
    (character) => expect(isXmlText(`a${character}b`)).toBe(true),
  );
});
