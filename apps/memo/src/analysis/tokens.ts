import { APOSTROPHE, BREAK, classOf, DIGIT, HAN, HANGUL, LETTER, MARK, UNSPACED } from './character-class';
import { simplify } from './han';

/** What is longer is not a word, and as such cut here. */
const LONGEST_WORD = 64;
/** What stands before or behind an apostrophe and is shorter, like the l of l'eau. */
const SHORTEST_PART = 3;

const segmenter = new Intl.Segmenter('th', { granularity: 'word' });

/**
 * The words of a text in its order, in small letters, not shortened to their stems. Of Chinese and Japanese each
 * character and each two neighbours; of Korean each two neighbours of a word.
 * @param isDropped which words to leave out; asked with their apostrophes, then for the parts around these
 */
export function tokensOf(text: string, isDropped?: (word: string) => boolean): string[] {
  const plain = text.normalize('NFKC').toLowerCase();
  const tokens: string[] = [];
  for (let at = 0; at < plain.length;) {
    const first = plain.codePointAt(at)!;
    const kind = classOf(first);
    const end = kind === BREAK || kind === APOSTROPHE ? at + widthOf(first) : runEnd(plain, at, kind);
    const run = plain.slice(at, end);
    at = end;
    if (kind === HAN) addCharacters(tokens, simplify(run));
    else if (kind === HANGUL) addPairs(tokens, [...run]);
    else if (kind === UNSPACED) addUnspaced(tokens, run);
    else if (kind !== BREAK && kind !== APOSTROPHE) addWords(tokens, run, isDropped);
  }
  return tokens;
}

/** Whether a token is one Chinese or Japanese character. */
export function isCharacter(token: string): boolean {
  const first = token.codePointAt(0)!;
  return token.length === widthOf(first) && classOf(first) === HAN;
}

const widthOf = (codePoint: number) => (codePoint > 0xffff ? 2 : 1);

function runEnd(text: string, from: number, kind: number): number {
  const goesOn = kind === HAN || kind === HANGUL || kind === UNSPACED ? sameScript(kind) : isOfWord;
  let at = from;
  while (at < text.length) {
    const codePoint = text.codePointAt(at)!;
    if (!goesOn(classOf(codePoint), text, at)) break;
    at += widthOf(codePoint);
  }
  return at;
}

const sameScript = (kind: number) => (other: number) =>
  other === kind || (kind === UNSPACED && other === MARK);

function isOfWord(kind: number, text: string, at: number): boolean {
  if (kind === APOSTROPHE) return at + 1 < text.length && classOf(text.codePointAt(at + 1)!) === LETTER;
  return kind === LETTER || kind === DIGIT || kind === MARK;
}

function addCharacters(tokens: string[], run: string): void {
  const characters = [...run];
  tokens.push(...characters);
  if (characters.length > 1) addPairs(tokens, characters);
}

function addPairs(tokens: string[], characters: string[]): void {
  if (characters.length === 1) tokens.push(characters[0]!);
  for (let i = 0; i + 1 < characters.length; i++) tokens.push(characters[i]! + characters[i + 1]!);
}

function addUnspaced(tokens: string[], run: string): void {
  for (const { segment, isWordLike } of segmenter.segment(run)) if (isWordLike) tokens.push(segment);
}

function addWords(tokens: string[], run: string, isDropped?: (word: string) => boolean): void {
  const word = run.replaceAll('’', "'").replace(/'s$/, '');
  if (isDropped?.(word)) return;
  const parts = word.includes("'") ? word.split("'").filter((part) => part.length >= SHORTEST_PART) : [word];
  for (const part of parts) if (!isDropped?.(part)) tokens.push(part.slice(0, LONGEST_WORD));
}
