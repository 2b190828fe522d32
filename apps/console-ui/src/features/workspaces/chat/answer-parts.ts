import { type Citation } from './chat-queries';

/** A piece of an answer: words, or the marker of a citation. */
export type AnswerPart = { text: string } | { citation: Citation };

/** Takes an answer apart at the markers of its citations. A number in brackets that cites nothing stays text. */
export function answerParts(content: string, citations: Citation[]): AnswerPart[] {
  const byNumber = new Map(citations.map((citation) => [citation.number.toString(), citation]));
  const parts: AnswerPart[] = [];
  let done = 0;
  for (const match of content.matchAll(/\[(\d+)\]/g)) {
    const citation = byNumber.get(match[1]!);
    if (!citation) continue;
    if (match.index > done) parts.push({ text: content.slice(done, match.index) });
    parts.push({ citation });
    done = match.index + match[0].length;
  }
  if (done < content.length) parts.push({ text: content.slice(done) });
  return parts;
}
