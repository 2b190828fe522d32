/** A query as people write it for a search: words, `"a phrase"`, `-excluded`, `title:word`. */
export interface ParsedQuery {
  /** The words, without those of fields and of what is excluded. */
  text: string;
  /** Word sequences that a passage has to contain. */
  phrases: string[];
  /** Words that the title has to contain. */
  inTitle: string[];
  excluded: { words: string[]; phrases: string[]; inTitle: string[] };
}

const QUOTED = String.raw`["“”„＂]([^"“”„＂]{1,400})["“”＂]`;
/** A minus counts only in front of a word: `well-known`, `a - b` and `-5` exclude nothing. */
const OPERATION = new RegExp(
  String.raw`(?<![^\s("“”])(?:([-−－])(?=["“”„＂\p{L}]))?(?:(title|标题|標題)[:：](?=\S))?(?:${QUOTED}|([^\s"“”„＂]+))`,
  'giu',
);

export function parseQuery(query: string): ParsedQuery {
  const parsed: ParsedQuery = {
    text: '',
    phrases: [],
    inTitle: [],
    excluded: { words: [], phrases: [], inTitle: [] },
  };
  parsed.text = query.replace(
    OPERATION,
    (whole, minus?: string, field?: string, phrase?: string, word?: string) => {
      const content = phrase ?? word!;
      if (field) (minus ? parsed.excluded : parsed).inTitle.push(content);
      else if (phrase !== undefined) (minus ? parsed.excluded : parsed).phrases.push(phrase);
      else if (minus) parsed.excluded.words.push(content);
      else return whole;
      return ' ';
    },
  );
  return parsed;
}

/** Words of a question, in which no sign is an operator. */
export const wordsOnly = (query: string): ParsedQuery => ({
  text: query,
  phrases: [],
  inTitle: [],
  excluded: { words: [], phrases: [], inTitle: [] },
});
