/** Passages that are made up, with the frequencies of natural text: a few words make half of it, and most are rare. */

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

/** Whole numbers below a limit, the same ones in every run. */
export function dice(seed) {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { fraction, below: (limit) => Math.floor(fraction() * limit) };
}

/** A rank by Zipf's law: each is met as often as its number is small. */
const zipf = ({ fraction }, limit) => Math.floor(Math.exp(fraction() * Math.log(limit)));

function englishWord(rank) {
  let rest = rank + SYLLABLES.length;
  let word = '';
  while (rest > 0) {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return word + ENDINGS[rank % ENDINGS.length];
}

/** Of one to three characters; frequent words are made of frequent characters. */
function chineseWord(rank) {
  const { below, fraction } = dice(rank);
  const length = fraction() < 0.15 ? 1 : fraction() < 0.8 ? 2 : 3;
  const most = Math.min(CHARACTERS, 200 + rank);
  return Array.from({ length }, () => String.fromCharCode(FIRST_CHARACTER + below(most) * 5)).join('');
}

const SCRIPTS = {
  English: {
    word: (roll) =>
      roll.fraction() < 0.45
        ? FUNCTION_WORDS[Math.min(zipf(roll, FUNCTION_WORDS.length), FUNCTION_WORDS.length - 1)]
        : englishWord(zipf(roll, VOCABULARY)),
    sentence: (words) => `${words[0][0].toUpperCase()}${words.join(' ').slice(1)}. `,
    question: (words) => `What is ${words.join(' ')}?`,
    spread: [8, 16],
    asked: [6, 10],
  },
  Chinese: {
    word: (roll) =>
      roll.fraction() < 0.25
        ? FUNCTION_CHARACTERS[roll.below(FUNCTION_CHARACTERS.length)]
        : chineseWord(zipf(roll, VOCABULARY)),
    sentence: (words) => `${words.join('')}。`,
    question: (words) => `${words.join('')}是什么？`,
    spread: [8, 16],
    asked: [7, 5],
  },
};

export const LANGUAGES = Object.keys(SCRIPTS);

/** @param {string} language @param {number} count @param {number} [seed] */
export function* passages(language, count, seed = 1) {
  const { word, sentence, spread } = SCRIPTS[language];
  for (let n = 0; n < count; n += 1) {
    const roll = dice(seed * 1_000_003 + n);
    const length = MIN_CHARACTERS + roll.below(MORE_CHARACTERS);
    let text = '';
    while (text.length < length)
      text += sentence(Array.from({ length: spread[0] + roll.below(spread[1]) }, () => word(roll)));
    yield { id: `${language}-${n}`, title: '', text: text.slice(0, length).trim() };
  }
}

/** Questions of some ten words that follow one another in a passage like those. */
export function questions(language, count) {
  const { word, question, asked } = SCRIPTS[language];
  return Array.from({ length: count }, (_, n) => {
    const roll = dice(77_000_001 + n);
    return question(Array.from({ length: asked[0] + roll.below(asked[1]) }, () => word(roll)));
  });
}
