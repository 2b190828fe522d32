import { analyzeQuery, parseQuery } from '../analysis/query-analysis';
import { feedbackWords } from './feedback-words';

const passages = (texts: string[], scores: number[] = []) =>
  texts.map((text, n) => ({ title: '', text, score: scores[n] ?? 1 }));
const texts = (count: number) =>
  Array.from({ length: count }, (_, n) => `The valves of boiler number ${n}${n}`);
const wordsFor = (query: string, ...found: Parameters<typeof passages>) =>
  feedbackWords(analyzeQuery(query, ['en']), passages(...found), ['en']).map(({ text }) => text);

it('brings words of several passages, without function words and numbers', () => {
  expect(wordsFor('boiler pressure', [...texts(9), 'A single gauge'])).toEqual([
    'valves',
    'boiler',
    'number',
  ]);
});

it('takes forms of a word as one, in the languages of the workspace', () => {
  const found = passages([...texts(5), ...Array.from({ length: 5 }, () => 'der Kessel, den Kesseln')]);
  const words = feedbackWords(analyzeQuery('boiler pressure', ['en', 'de']), found, ['en', 'de']);
  const kettle = words.filter(({ text }) => text.startsWith('kessel'));
  expect(kettle.flatMap(({ terms }) => terms)).toContain('kessel');
  expect(words.every(({ isFeedback, isRequired, weight }) => isFeedback && !isRequired && weight > 0)).toBe(
    true,
  );
});

it.each([
  ['too few passages', 'boiler pressure', texts(9), []],
  ['a query of one word', 'boilers', texts(10), []],
  ['a passage far above the others', 'boiler pressure', texts(10), [2, 1.5]],
  ['a script without spaces', '锅炉压力阀门', texts(10), []],
] as const)('brings nothing for %s', (_case, query, found, scores) => {
  expect(wordsFor(query, [...found], [...scores])).toEqual([]);
});

it('brings nothing for a query with conditions', () => {
  const query = analyzeQuery(parseQuery('boiler "high pressure"'), ['en']);
  expect(feedbackWords(query, passages(texts(10)), ['en'])).toEqual([]);
});
