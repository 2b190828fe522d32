/**
 * Generates passages with the word frequencies of natural text: a few words make up half of it, and most words are rare.
 *
 * @typedef {{ fraction: () => number, below: (limit: number) => number }} Random `fraction`: from 0 to 1; `below`: a whole
 *   number from 0 to below the limit
 */

const VOCABULARY = 200_000;
const MIN_CHARACTERS = 750;
const MORE_CHARACTERS = 300;

const FUNCTION_WORDS = (
  'the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one ' +
  'were all their there been has more when who will no if out so what up its about into than them can only other'
).split(' ');
const SYLLABLES = (
  'ba be bi bo bu ca ce co da de di do fa fe fi fo ga ge go ha he hi ho ka ke ko la le li lo lu ma me mi mo mu na ne ni no ' +
  'pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo chi sha tri plo gra ster mont land burg'
).split(' ');
const ENDINGS = ['', 'n', 'r', 's', 'ing', 'ed', 'er', 'al'];
const FUNCTION_CHARACTERS = [...'的了是在和有这那为于以而也就都被对从到不'];
const FIRST_CHARACTER = 0x4e00;
const CHARACTERS = 3_500;

/** A generator of pseudo-random numbers (mulberry32). @param {number} seed @returns {Random} */
function seededRandom(seed) {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { fraction, below: (limit) => Math.floor(fraction() * limit) };
}

/** A rank below the limit, from 1, by Zipf's law: its probability is inversely proportional to it. @param {Random} random @param {number} limit */
const zipf = ({ fraction }, limit) => Math.floor(Math.exp(fraction() * Math.log(limit)));

/** @template T @param {T[]} values at least one @param {number} index @returns {T} modulo the number of values */
function cyclic(values, index) {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('There are no values.');
  return value;
}

/** @param {number} rank */
function englishWord(rank) {
  let rest = rank + SYLLABLES.length;
  let word = '';
  while (rest > 0) {
    word += cyclic(SYLLABLES, rest);
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return word + cyclic(ENDINGS, rank);
}

/** A word of one to three characters. Frequent words consist of frequent characters. @param {number} rank */
function chineseWord(rank) {
  const { below, fraction } = seededRandom(rank);
  const length = fraction() < 0.15 ? 1 : fraction() < 0.8 ? 2 : 3;
  const most = Math.min(CHARACTERS, 200 + rank);
  return Array.from({ length }, () => String.fromCharCode(FIRST_CHARACTER + below(most) * 5)).join('');
}

/**
 * @typedef {'English' | 'Chinese'} Language
 * @typedef {[min: number, range: number]} WordCount from `min` to below `min + range`
 * @typedef {object} LanguageGenerator
 * @property {(random: Random) => string} word
 * @property {(words: string[]) => string} sentence
 * @property {(words: string[]) => string} question
 * @property {WordCount} sentenceWords
 * @property {WordCount} questionWords
 */

/** @type {Record<Language, LanguageGenerator>} */
const GENERATORS = {
  English: {
    word: (random) =>
      random.fraction() < 0.45
        ? cyclic(FUNCTION_WORDS, Math.min(zipf(random, FUNCTION_WORDS.length), FUNCTION_WORDS.length - 1))
        : englishWord(zipf(random, VOCABULARY)),
    sentence: (words) => `${words[0]?.[0]?.toUpperCase()}${words.join(' ').slice(1)}. `,
    question: (words) => `What is ${words.join(' ')}?`,
    sentenceWords: [8, 16],
    questionWords: [6, 10],
  },
  Chinese: {
    word: (random) =>
      random.fraction() < 0.25
        ? cyclic(FUNCTION_CHARACTERS, random.below(FUNCTION_CHARACTERS.length))
        : chineseWord(zipf(random, VOCABULARY)),
    sentence: (words) => `${words.join('')}。`,
    question: (words) => `${words.join('')}是什么？`,
    sentenceWords: [8, 16],
    questionWords: [7, 5],
  },
};

/** @type {Language[]} */
export const LANGUAGES = ['English', 'Chinese'];

/** @param {LanguageGenerator} generator @param {WordCount} wordCount @param {Random} random */
function words({ word }, [min, range], random) {
  return Array.from({ length: min + random.below(range) }, () => word(random));
}

/** @param {Language} language @param {number} count @param {number} [seed] */
export function* passages(language, count, seed = 1) {
  const generator = GENERATORS[language];
  for (let n = 0; n < count; n += 1) {
    const random = seededRandom(seed * 1_000_003 + n);
    const length = MIN_CHARACTERS + random.below(MORE_CHARACTERS);
    let text = '';
    while (text.length < length)
      text += generator.sentence(words(generator, generator.sentenceWords, random));
    yield { id: `${language}-${n}`, title: '', text: text.slice(0, length).trim() };
  }
}

/** Questions of some ten words with the same frequencies. @param {Language} language @param {number} count */
export function questions(language, count) {
  const generator = GENERATORS[language];
  return Array.from({ length: count }, (_, n) => {
    const random = seededRandom(77_000_001 + n);
    return generator.question(words(generator, generator.questionWords, random));
  });
}
