import { deflateRawSync } from 'node:zlib';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { VocabularyCache } from '../ranking/workspace-caches';
import { mergeVocabularies, neighboursIn, packVocabulary, unpackVocabulary } from './vocabulary';

const LETTERS = [...'abc'];
/** All words at one edit, with letters of the test. */
function edits(word: string): Set<string> {
  const found = new Set<string>();
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    found.add(before + after.slice(1));
    if (after.length > 1) found.add(before + after[1]! + after[0]! + after.slice(2));
    for (const letter of LETTERS) found.add(before + letter + after).add(before + letter + after.slice(1));
  }
  found.delete(word);
  return found;
}

it('finds the words with one letter added, missing, wrong or swapped, wherever it is', () => {
  const words = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60, size: 'max' }), words, (vocabulary, word) => {
      const sorted = [...new Set(vocabulary)].sort();
      const near = edits(word);
      expect(neighboursIn(sorted, word).sort()).toEqual(sorted.filter((other) => near.has(other)));
    }),
    { numRuns: 500 },
  );
});

it('looks at a small part of a large vocabulary', () => {
  let looks = 0;
  const words = Array.from({ length: 200_000 }, (_, n) =>
    n.toString(36).padStart(6, String.fromCodePoint(97 + (n % 26))),
  );
  const vocabulary = new Proxy([...new Set(words)].sort(), {
    get: (target, key) => {
      looks += 1;
      return Reflect.get(target, key) as unknown;
    },
  });
  neighboursIn(vocabulary, 'qqq123');
  expect(looks).toBeLessThan(vocabulary.length / 4);
});

it('packs no more than can be unpacked', () => {
  const words = Array.from({ length: 420_000 }, (_, n) => 'ꙁ'.repeat(27) + String(n).padStart(6, '0'));
  const kept = words.map((word) => word.slice(1));
  expect(unpackVocabulary(packVocabulary([...words, ...kept]))).toHaveLength(400_000);
});

it('merges what can be unpacked', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const tooLarge = deflateRawSync(Buffer.alloc(65 * 1024 * 1024, 'a'));
  const merged = mergeVocabularies([packVocabulary(['stall', 'barns']), tooLarge, Buffer.from('damaged')]);
  expect(unpackVocabulary(merged)).toEqual(['barns', 'stall']);
  expect(warn).toHaveBeenCalledTimes(2);
  warn.mockRestore();
});

it('corrects the first eight words of a query', async () => {
  const words = Array.from({ length: 20 }, (_, n) => `barn${'abcdefghijklmnopqrst'[n]!.repeat(4)}`);
  const vocabulary = packVocabulary(words.map((word) => `${word}s`));
  const executor = { query: () => Promise.resolve({ rows: [{ id: 1, vocabulary }] }) };
  const corrections = await new VocabularyCache().correct(executor as never, [1], words);
  expect([...corrections]).toEqual(words.slice(0, 8).map((word) => [word, [`${word}s`]]));
});
