import fc from 'fast-check';
import { type Chunk, Chunker, MAX_CHUNK_CHARACTERS } from './chunker';

const TARGET_CHARACTERS = 900;
const CRUMB_CHARACTERS = 150;

function chunksOf(pieces: string[]): Chunk[] {
  const chunker = new Chunker();
  const chunks = [...pieces.flatMap((piece) => [...chunker.push(piece)]), ...chunker.end()];
  const last = chunks.at(-1);
  expect(chunker).toMatchObject({
    count: chunks.length,
    length: last ? last.startAt + last.text.length : 0,
  });
  return chunks;
}

const textsOf = (text: string): string[] => chunksOf([text]).map((chunk) => chunk.text);

/** Ordinary and unusual contents of documents. */
const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('word ', 'Sentence ends. ', 'Is it? ', '\n', '\n\n', ' \n \t\n', '退款政策', '。', '，', '“好。” ', 'Dr. ') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom('👨‍👩‍👧'.repeat(30), 'a'.repeat(400), '字'.repeat(500), '😀'.repeat(300), ' '.repeat(700), 'e\u0301'.repeat(200), `x${'\u0301'.repeat(900)}`, '.'.repeat(500)) },
); // oxfmt-ignore
const text = fc.array(part, { maxLength: 120, size: 'max' }).map((parts) => parts.join(''));

describe('Chunker', () => {
  it('covers the whole text within the length limits', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const chunks = chunksOf([whole]);
        expect(chunks.map((chunk) => chunk.lead + chunk.text).join('')).toBe(whole.trimEnd());
        for (const [index, { n, startAt, lead, text: own }] of chunks.entries()) {
          expect(n).toBe(index);
          expect(whole.slice(startAt, startAt + own.length)).toBe(own);
          expect(own.length).toBeGreaterThan(0);
          expect(own.length).toBeLessThanOrEqual(MAX_CHUNK_CHARACTERS);
          expect([own.trim(), lead.trim()]).toEqual([own, '']);
          expect(own.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same chunks however the text is divided into pieces', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 2_000 }), { minLength: 1, maxLength: 20 }), (whole, sizes) => {
        const pieces: string[] = [];
        for (let at = 0, n = 0; at < whole.length; n++) {
          const size = (sizes[n % sizes.length] ?? 0) + 1;
          pieces.push(whole.slice(at, at + size));
          at += size;
        }
        expect(chunksOf(pieces)).toEqual(chunksOf([whole]));
      }),
      { numRuns: 300 },
    );
  });

  it('makes one chunk of a short text and none of white space', () => {
    const short = `${'One two. '.repeat(99)}`;
    expect(textsOf(`\n ${short}`)).toEqual([short.trim()]);
    expect(chunksOf([' \n', '\u3000'])).toEqual([]);
    expect(chunksOf([])).toEqual([]);
  });

  it('breaks at paragraphs and joins short ones', () => {
    const paragraph = (n: number): string => `${n} ${'Some words of it. '.repeat(15).trim()}`;
    const texts = textsOf(Array.from({ length: 9 }, (_, n) => paragraph(n)).join('\n\n'));
    expect(texts).toEqual(
      [0, 3, 6].map((n) => [paragraph(n), paragraph(n + 1), paragraph(n + 2)].join('\n\n')),
    );
  });

  it('keeps a heading with the text after it', () => {
    const long = 'Some words that end here. '.repeat(24).trim();
    for (const heading of ['On refunds', 'How do refunds work?', 'You need:', '如何退款？', '须提供：'])
      expect(textsOf(`${long}\n\n${heading}\n\n${long}`)).toEqual([long, `${heading}\n\n${long}`]);
    // Lines that are not headings stay where they are.
    expect(textsOf(`${long}\n\nThe end.\n\n${long}`)).toEqual([`${long}\n\nThe end.`, long]);
  });

  it('keeps a question with the line below it', () => {
    const asked = 'Is it free?\nIt is.\nHow long does it take?\nIt takes about five days.\n'.repeat(20);
    for (let words = 1; words < 20; words++)
      expect(textsOf(`${'word '.repeat(words)}\n${asked}`)[0]).toMatch(/\.$/);
  });

  it('breaks long paragraphs at sentences', () => {
    for (const sentence of [
      'Refunds by Dr. Lee e.g. take 3.5 days. ',
      'It is approx. 5 EUR incl. VAT at Shop Inc. London, e.g. Mondays, see Fig. 2 of Jan. 5! ',
      'Es kostet z. B. Miete bzw. Nr. 5 lt. Vertrag, d.h. Geld. ',
      'La Sra. García pagó aprox. 5 EUR, cf. Mme. Dupont et p. ex. M. Martin. ',
      'Who am I? ',
      '自签收之日起七日内可以退货。',
      'It said “no more!” ',
    ]) {
      const texts = textsOf(sentence.repeat(200));
      expect(texts.length).toBeGreaterThan(1);
      for (const own of texts) {
        expect(own.length % sentence.length).toBe(sentence.trim().length % sentence.length);
        expect(own.endsWith(sentence.trim())).toBe(true);
      }
    }
  });

  it('breaks at lines, then at words, if there are no sentences', () => {
    const row = 'apples | 12 | 3 kg';
    for (const own of textsOf(`${row}\n`.repeat(200))) expect(own.replaceAll(`${row}\n`, '')).toBe(row);
    for (const own of textsOf('abcdefg '.repeat(400))) expect(own.replaceAll('abcdefg ', '')).toBe('abcdefg');
  });

  it('splits no grapheme if there are no words', () => {
    const family = '👨‍👩‍👧';
    for (const own of textsOf(family.repeat(500))) expect(own.replaceAll(family, '')).toBe('');
    const lengths = textsOf('x'.repeat(2_000)).map((own) => own.length);
    expect(lengths).toEqual([TARGET_CHARACTERS, 1_100]);
  });

  it('joins a short rest with the last chunk if it fits', () => {
    const long = 'Some words of it. '.repeat(48).trim();
    const crumb = 'x'.repeat(CRUMB_CHARACTERS - 2) + '.';
    expect(textsOf(`${long}\n\n${crumb}`)).toEqual([`${long}\n\n${crumb}`]);
    expect(textsOf(`${long}\n\n${crumb}x`)).toEqual([long, `${crumb}x`]);
  });
});
