import fc from 'fast-check';
import { conversationTokens } from '../endpoints/messages';
import { PromptReading } from './prompt';
import { choiceSeed, textOf, tokenAt, WORDS } from './text';

const WHITE_SPACE = [...'\t\n\v\f\r \u0085\u00a0\u1680\u2003\u2028\u202f\u205f\u3000\ufeff\u200b'];
const prose = fc
  .array(fc.oneof(fc.constantFrom(...WHITE_SPACE), fc.string({ unit: 'binary' })))
  .map((parts) => parts.join(''));

describe('a prompt', () => {
  it('has one word for each part between white space', () => {
    fc.assert(
      fc.property(prose, (text) => {
        const reading = new PromptReading(1);
        reading.read(text);
        expect(reading.words).toBe(text.split(/\s+/).filter((word) => word !== '').length);
      }),
    );
  });

  it('never has more tokens than its request has bytes', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), (words, messages, bytes) => {
        expect(conversationTokens(words, messages, bytes)).toBeLessThanOrEqual(bytes);
      }),
    );
  });
});

describe('a text', () => {
  it('is made of 256 different words', () => {
    expect(new Set(WORDS).size).toBe(256);
    expect(WORDS.every((word) => /^[a-z]+$/.test(word))).toBe(true);
  });

  it('is its tokens in a row', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 50 }), fc.nat({ max: 9 }), (hash, count, choice) => {
        const seed = choiceSeed(hash, choice);
        const tokens = Array.from({ length: count }, (_, position) => tokenAt(seed, position));
        expect(textOf(seed, count)).toBe(tokens.join(''));
      }),
    );
  });
});
