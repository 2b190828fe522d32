import { analyzeQuery } from '../analysis/query-analysis';
import { contextBoost, wordPositions } from './position-boosts';

const QUERY = analyzeQuery('copper oxide catalyst', ['en']);
const WEIGHTS = Float64Array.from(QUERY.words, (_word, place) => place + 1);
const boost = (own: string, ...neighbours: string[]) =>
  contextBoost(
    wordPositions(own, QUERY),
    neighbours.map((text) => wordPositions(text, QUERY)),
    WEIGHTS,
  );
const weightOf = (word: string) => WEIGHTS[QUERY.wordIndexOf(word)]!;

it('adds half the weight of each word that only a neighbour has', () => {
  expect(boost('Copper is a metal.', 'An oxide.', 'The catalysts.')).toBe(
    (weightOf('oxide') + weightOf('catalyst')) / 2,
  );
});

it('adds a word once that both neighbours have', () => {
  expect(boost('Copper is a metal.', 'An oxide.', 'Oxides.')).toBe(weightOf('oxide') / 2);
});

it('adds nothing for words that the passage has, and without neighbours', () => {
  expect(boost('Copper oxide is a catalyst.', 'Copper oxide catalysts.')).toBe(0);
  expect(boost('Copper is a metal.')).toBe(0);
});
