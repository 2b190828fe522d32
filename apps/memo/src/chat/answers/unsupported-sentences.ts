import { type Passage } from '../../retrieval/search/passage';
import { withAsciiSigns } from '../../retrieval/analysis/search-form';
import { stemOf } from '../../retrieval/analysis/stemming';
import { stopWordsOf } from '../../retrieval/analysis/stop-words';
import { groupedNumbers, withoutGroups } from '../../retrieval/analysis/terms';
import { isHanCharacter, tokenize } from '../../retrieval/analysis/tokenizer';
import { type Slice, splitSentences } from '../sentences/sentence-segmentation';

const MARKER = /\[(\d{1,3})\]/g;
const NUMBER = /^\d+$/;
/** Numbers of a list, which state nothing. */
const LIST_NUMBER = /^[ \t>*-]*\d{1,3}(?:[.)](?=\s)|[、．])/gm;
/** A sentence with fewer words says too little to be judged: "Yes.", a heading. */
const MIN_WORDS = 3;
/** Share of the words of a sentence without a marker that one passage has to hold. Half accepts chance; twice refuses every paraphrase. */
const MIN_SUPPORTED_SHARE = 0.5;
/** Any stemmer makes equal words equal, which is all that is compared. */
const LANGUAGE = 'en';

type Source = Pick<Passage, 'title' | 'text'>;

/**
 * The sentences of an answer that nothing supports: those without a marker whose words no passage holds, and those with a number
 * that the cited passages do not hold. Questions and lead-ins state nothing.
 */
export function unsupportedSentences(answer: string, passages: readonly Source[]): Slice[] {
  const contents = passages.map(({ title, text }) => new Set(wordsOf(`${title}\n${text}`)));
  const statements = answer.replace(LIST_NUMBER, (number) => ' '.repeat(number.length));
  return sentencesWithMarkers(answer).filter(({ start, end }) => {
    const sentence = statements.slice(start, end);
    const cited = Array.from(sentence.matchAll(MARKER), ([, number]) => contents[Number(number) - 1]).filter(
      (content) => content !== undefined,
    );
    const words = contentWords(sentence.replace(MARKER, ' '));
    if (words.length < MIN_WORDS || /[?？:：]\s*$/.test(sentence.replace(MARKER, ''))) return false;
    const numbers = words.filter((word) => NUMBER.test(word));
    if (cited.length > 0) return numbers.some((number) => !cited.some((content) => content.has(number)));
    return !contents.some(
      (content) =>
        numbers.every((number) => content.has(number)) &&
        words.filter((word) => content.has(word)).length >= words.length * MIN_SUPPORTED_SHARE,
    );
  });
}

/** A marker behind the full stop belongs to the sentence before it. */
function sentencesWithMarkers(answer: string): Slice[] {
  const sentences: Slice[] = [];
  for (const { start, end } of splitSentences(answer)) {
    const leading = /^(?:\s*\[\d{1,3}\])+[.。]?\s*/.exec(answer.slice(start, end))?.[0].length ?? 0;
    const last = sentences.at(-1);
    if (last) last.end = start + leading > start ? start + leading : last.end;
    if (start + leading < end) sentences.push({ start: start + leading, end });
  }
  return sentences;
}

/** A number is also the same without the signs between its thousands. */
const wordsOf = (text: string): string[] =>
  [...tokenize(text), ...groupedNumbers(withAsciiSigns(text))].map((token) => stemOf(token, LANGUAGE));

function contentWords(sentence: string): string[] {
  const tokens = tokenize(withoutGroups(withAsciiSigns(sentence)));
  const stopWords = stopWordsOf(tokens, [LANGUAGE, 'de', 'fr', 'es']);
  return [...new Set(tokens)]
    .filter((token) => !stopWords.has(token) && !isHanCharacter(token))
    .map((token) => stemOf(token, LANGUAGE));
}
