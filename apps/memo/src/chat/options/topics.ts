import { type DocumentBeginning } from './topics.repository';

/** A longer line is a sentence rather than a heading; a shorter one is a number or a list mark. */
const MAX_HEADING_CHARS = 80;
const MIN_HEADING_CHARS = 3;
const END_OF_SENTENCE = /[.!?,;:…。！？，；：]$/;
/** What a file name adds to a title. */
const EXTENSION = /\.[A-Za-z]{1,5}$/;

export interface Topic {
  document_id: string;
  topic: string;
}

/** The topics of documents, in their order and each once, at most `count`. */
export function topicsOf(documents: readonly DocumentBeginning[], count: number): Topic[] {
  const topics = new Map<string, Topic>();
  for (const { documentId, title, beginning } of documents) {
    const topic = headingOf(beginning) ?? title.replace(EXTENSION, '').trim();
    const key = topic.toLowerCase();
    if (topic !== '' && !topics.has(key)) topics.set(key, { document_id: documentId, topic });
  }
  return [...topics.values()].slice(0, count);
}

/** The first line, if it looks like a heading and text follows it. */
function headingOf(beginning: string): string | undefined {
  const [first = '', next] = beginning
    .split('\n')
    .map((line) => line.replace(/^#+\s+/, '').trim())
    .filter((line) => line !== '');
  const length = [...first].length;
  const isHeading =
    next !== undefined &&
    length >= MIN_HEADING_CHARS &&
    length <= MAX_HEADING_CHARS &&
    /\p{L}/u.test(first) &&
    !END_OF_SENTENCE.test(first);
  return isHeading ? first : undefined;
}
