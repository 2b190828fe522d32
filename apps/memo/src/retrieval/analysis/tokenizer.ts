import { Converter } from 'opencc-js';
import {
  APOSTROPHE,
  BREAK,
  characterClass,
  DIGIT,
  HAN,
  HANGUL,
  LETTER,
  MARK,
  UNSPACED,
} from './character-class';
import { searchForm } from './search-form';

type Convert = (text: string) => string;

const FIRST = 0x3400;
const LAST = 0x9fff;

/** Forms of characters in Japanese names that the converters do not know. */
const NAME_FORMS = new Map([
  ['髙', '高'],
  ['濵', '浜'],
  ['栁', '柳'],
]);
let converters: Convert[] | undefined;
/** By UTF-16 code unit; 0 if not looked up yet. */
const simplified = new Uint16Array(0x1_0000);

/**
 * Converts traditional Chinese characters, and Japanese variants of Chinese characters, to simplified ones. The
 * length of the text stays the same.
 */
export function simplifyChinese(text: string): string {
  let result = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < FIRST || code > LAST) continue;
    const simple = simplified[code] || lookUp(code);
    if (simple === code) continue;
    result += text.slice(copied, at) + String.fromCharCode(simple);
    copied = at + 1;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

function lookUp(code: number): number {
  converters ??= [Converter({ from: 't', to: 'cn' }), Converter({ from: 'jp', to: 'cn' })];
  const written = String.fromCharCode(code);
  const character = NAME_FORMS.get(written) ?? written;
  const other = converters.map((convert) => convert(character)).find((form) => form !== character);
  return (simplified[code] = (other?.length === 1 ? other : character).charCodeAt(0));
}

/** A longer token is not a word; it is cut. */
const MAX_TOKEN_CHARACTERS = 64;
/** Shorter parts beside an apostrophe are dropped, such as the "l" of "l'eau". */
const MIN_ELISION_PART_CHARACTERS = 3;

const segmenter = new Intl.Segmenter('th', { granularity: 'word' });

/**
 * The lower-case words of a text in order, not stemmed. For Chinese and Japanese: all single characters and bigrams.
 * For Korean: the bigrams of each word.
 * @param isDropped selects words to omit; called with the whole word including apostrophes, then with its parts
 */
export function tokenize(text: string, isDropped?: (word: string) => boolean): string[] {
  return tokensOf(searchForm(text), isDropped);
}

/** Like `tokenize`, but for Chinese and Japanese the runs of characters are added to `runs` and their tokens left out. */
export const tokenizeApart = (text: string, runs: string[]): string[] =>
  tokensOf(searchForm(text), undefined, runs);

/** The tokens of a run of Chinese or Japanese characters: all characters, and all pairs of neighbours. */
export function tokensOfRun(run: string): string[] {
  const tokens: string[] = [];
  addCharacters(tokens, run);
  return tokens;
}

/** The words of a query as the indexes of former versions hold them, which are being rebuilt. */
export const formerTokens = (text: string): string[] => tokensOf(text.normalize('NFKC').toLowerCase());

function tokensOf(plain: string, isDropped?: (word: string) => boolean, runs?: string[]): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < plain.length;) {
    const first = plain.codePointAt(at)!;
    const kind = characterClass(first);
    const end = kind === BREAK || kind === APOSTROPHE ? at + widthOf(first) : runEnd(plain, at, kind);
    const run = plain.slice(at, end);
    at = end;
    if (kind === HAN && runs) runs.push(simplifyChinese(run));
    else if (kind === HAN) addCharacters(tokens, simplifyChinese(run));
    else if (kind === HANGUL) addPairs(tokens, [...run]);
    else if (kind === UNSPACED) addUnspaced(tokens, run);
    else if (kind !== BREAK && kind !== APOSTROPHE) addWords(tokens, run, isDropped);
  }
  return tokens;
}

/** The words of a text between single spaces, characters of scripts without spaces as words: sequences of words are parts of it. */
export function wordSequence(text: string): string {
  let sequence = ' ';
  for (const character of simplifyChinese(searchForm(text))) {
    const kind = characterClass(character.codePointAt(0)!);
    if (kind === HAN || kind === HANGUL || kind === UNSPACED)
      sequence += sequence.endsWith(' ') ? `${character} ` : ` ${character} `;
    else if (kind === LETTER || kind === DIGIT || kind === MARK) sequence += character;
    else if (!sequence.endsWith(' ')) sequence += ' ';
  }
  return sequence.endsWith(' ') ? sequence : `${sequence} `;
}

/** Whether a token is a single Chinese or Japanese character. */
export function isHanCharacter(token: string): boolean {
  const first = token.codePointAt(0)!;
  return token.length === widthOf(first) && characterClass(first) === HAN;
}

const widthOf = (codePoint: number) => (codePoint > 0xffff ? 2 : 1);

function runEnd(text: string, from: number, kind: number): number {
  const goesOn = kind === HAN || kind === HANGUL || kind === UNSPACED ? sameScript(kind) : isOfWord;
  let at = from;
  while (at < text.length) {
    const codePoint = text.codePointAt(at)!;
    if (!goesOn(characterClass(codePoint), text, at)) break;
    at += widthOf(codePoint);
  }
  return at;
}

const sameScript = (kind: number) => (other: number) =>
  other === kind || (kind === UNSPACED && other === MARK);

function isOfWord(kind: number, text: string, at: number): boolean {
  if (kind === APOSTROPHE)
    return at + 1 < text.length && characterClass(text.codePointAt(at + 1)!) === LETTER;
  return kind === LETTER || kind === DIGIT || kind === MARK;
}

function addCharacters(tokens: string[], run: string): void {
  const first = tokens.length;
  for (const character of run) tokens.push(character);
  const end = tokens.length;
  for (let i = first; i + 1 < end; i++) tokens.push(tokens[i]! + tokens[i + 1]!);
}

function addPairs(tokens: string[], characters: string[]): void {
  if (characters.length === 1) tokens.push(characters[0]!);
  for (let i = 0; i + 1 < characters.length; i++) tokens.push(characters[i]! + characters[i + 1]!);
}

function addUnspaced(tokens: string[], run: string): void {
  for (const { segment, isWordLike } of segmenter.segment(run)) if (isWordLike) tokens.push(segment);
}

function addWords(tokens: string[], run: string, isDropped?: (word: string) => boolean): void {
  // Looked for first: replacing takes long, and most words have no apostrophe.
  const hasApostrophe = run.includes("'") || run.includes('’');
  const word = hasApostrophe ? run.replaceAll('’', "'").replace(/'s$/, '') : run;
  if (isDropped?.(word)) return;
  const parts = word.includes("'")
    ? word.split("'").filter((part) => part.length >= MIN_ELISION_PART_CHARACTERS)
    : [word];
  for (const part of parts) if (!isDropped?.(part)) tokens.push(part.slice(0, MAX_TOKEN_CHARACTERS));
}
