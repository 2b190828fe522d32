/** A place in a text, in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

export interface TextAround {
  before: string;
  marked: string;
  after: string;
  /** Whether more of the text is left out before or after. */
  isCut: boolean;
}

/** The marked place of a text with so many characters on either side. A place outside of the text marks nothing. */
export function textAround(text: string, { start, end }: Span, margin: number): TextAround {
  const from = Math.max(0, start - margin);
  const to = Math.min(text.length, end + margin);
  return {
    before: text.slice(from, start),
    marked: text.slice(start, end),
    after: text.slice(end, to),
    isCut: from > 0 || to < text.length,
  };
}
