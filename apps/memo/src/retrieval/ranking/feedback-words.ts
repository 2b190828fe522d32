import { characterClass, LETTER } from '../analysis/character-class';
import { type AnalyzedQuery, type QueryWord, termsIn, wordOf } from '../analysis/query-analysis';
import { stopWordsOf } from '../analysis/stop-words';
import { tokenize } from '../analysis/tokenizer';

/** The passages whose words are added to a query. A search that finds fewer is not widened. Half follows single passages; twice is no better. */
const FEEDBACK_PASSAGES = 10;
/** A word of a single passage may be there by chance. */
const MIN_PASSAGES_OF_WORD = 2;
/** Candidates, of which the rarest count (termWeights). The postings of each are read. */
const MAX_CANDIDATES = 40;
/** A query of one word asks for that word. */
const MIN_QUERY_WORDS = 2;
/** If the second passage has less of the score of the first one, that is the answer, and its subject is not widened. */
const MIN_SCORE_OF_SECOND = 0.8;
const SATURATION = 1.2;
/** Shorter words are mostly function words and abbreviations of many meanings. */
const MIN_LETTERS = 3;

/**
 * Words that occur in several of the best passages for a query, with their share in them as the weight: pseudo-relevance feedback
 * (Rocchio). Empty if the query is specific or in a script without spaces, for which it was no gain (ADR 77).
 * @param passages best first
 */
export function feedbackWords(
  { words, hasConditions }: AnalyzedQuery,
  passages: readonly { title: string; text: string; score: number }[],
  languages: readonly string[],
): QueryWord[] {
  const best = passages.slice(0, FEEDBACK_PASSAGES);
  if (hasConditions || best.length < FEEDBACK_PASSAGES) return [];
  if (words.filter(({ isSpaced }) => isSpaced).length < Math.max(MIN_QUERY_WORDS, words.length / 2))
    return [];
  if (best[1]!.score < best[0]!.score * MIN_SCORE_OF_SECOND) return [];
  const total = best.reduce((sum, { score }) => sum + score, 0);
  const tokens = best.map(({ title, text }) => tokenize(`${title}\n${text}`));
  const stopWords = stopWordsOf(tokens.flat(), languages);
  const found = new Map<string, { word: QueryWord; passages: number }>();
  const termsOf = termsCache(languages);
  for (const [place, ofPassage] of tokens.entries()) {
    const share = best[place]!.score / total;
    for (const [key, { token, terms, count }] of countsOf(ofPassage, stopWords, termsOf)) {
      const known = found.get(key) ?? { word: wordOf(token, terms, [], stopWords), passages: 0 };
      known.word.weight += (share * count) / (count + SATURATION);
      known.passages += 1;
      found.set(key, known);
    }
  }
  return [...found.values()]
    .filter(({ passages: count }) => count >= MIN_PASSAGES_OF_WORD)
    .sort((one, other) => other.word.weight - one.word.weight)
    .slice(0, MAX_CANDIDATES)
    .map(({ word }) => ({ ...word, isFeedback: true }));
}

interface WordTerms {
  terms: string[];
  key: string;
}

/** Returns the terms of a token. Passages for one query share most of their words. */
function termsCache(languages: readonly string[]): (token: string) => WordTerms {
  const known = new Map<string, WordTerms>();
  return (token) => {
    let found = known.get(token);
    if (!found) {
      const terms = termsIn(languages, [token]);
      known.set(token, (found = { terms, key: terms.join(' ') }));
    }
    return found;
  };
}

/** How often the words of a passage occur in it, by their terms. */
function countsOf(
  tokens: readonly string[],
  stopWords: ReadonlySet<string>,
  termsOf: (token: string) => WordTerms,
): Map<string, { token: string; terms: string[]; count: number }> {
  const counts = new Map<string, { token: string; terms: string[]; count: number }>();
  for (const token of tokens) {
    if (stopWords.has(token) || token.length < MIN_LETTERS) continue;
    if (characterClass(token.codePointAt(0)!) !== LETTER) continue;
    const { terms, key } = termsOf(token);
    const known = counts.get(key);
    if (known) known.count += 1;
    else counts.set(key, { token, terms, count: 1 });
  }
  return counts;
}
