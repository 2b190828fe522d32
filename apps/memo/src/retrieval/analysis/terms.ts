import { addFurtherTerms, stemOf } from './stemming';
import { tokenize } from './tokenizer';
import { wordParts } from './word-parts';

/** Marks the terms of a title, for queries that look in titles only. */
const TITLE = 'title:';

export const titleTerm = (term: string): string => TITLE + term;

/** The words of a text as an index holds them. */
export interface IndexTerms {
  /** In order, with repetitions. They count in the length of a text. */
  terms: string[];
  /** Other ways to find the same words. */
  further: string[];
  /** The words of at least five letters as they are written, of which typing errors are corrections. */
  words: string[];
}

/** The index terms of a text in order, with repetitions. */
export function termsOf(text: string, language: string): string[] {
  return indexTermsOf(text, language).terms;
}

/** Shorter words have too many neighbours to guess which one was meant. */
const MIN_CORRECTED_LETTERS = 5;
const LETTERS = /^[\p{L}\p{M}]+$/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether a word can be a correction, or be corrected: letters of a script with spaces. */
export const isCorrectable = (word: string): boolean =>
  word.length >= MIN_CORRECTED_LETTERS && LETTERS.test(word) && !UNSPACED.test(word);

export function indexTermsOf(text: string, language: string): IndexTerms {
  const tokens = tokenize(text);
  const terms: string[] = [];
  const further: string[] = [];
  const words: string[] = [];
  for (const token of tokens) {
    terms.push(stemOf(token, language));
    addFurtherTerms(further, token, language);
    if (token.length >= MIN_CORRECTED_LETTERS) words.push(token);
  }
  for (const part of wordParts(text)) further.push(stemOf(part, language));
  return { terms, further, words };
}
