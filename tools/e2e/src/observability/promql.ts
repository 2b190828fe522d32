/** A metric in an expression, with the labels by which it is selected. */
export interface Selector {
  metric: string;
  labels: string[];
  /** The value of each label that is compared by `=`. */
  values: Record<string, string>;
}

const TEXT = /"(?:[^"\\]|\\.)*"/g;
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const DURATION = /\[[^\]]*\]|\boffset\s+\w+/g;
const OPERATORS = new Set(['and', 'or', 'unless', 'bool']);

/** The metrics that an expression reads. Only for the forms of PromQL that the rules and the dashboard of this repository use. */
export function selectorsOf(expression: string): Selector[] {
  const texts: string[] = [];
  // A text becomes its number, so that nothing inside it is taken for a metric or a brace.
  const plain = expression
    .replace(TEXT, (text) => `"${texts.push(JSON.parse(text) as string) - 1}"`)
    .replace(GROUPING, ' ')
    .replace(DURATION, ' ');
  return [...plain.matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)\s*(\(|\{([^}]*)\})?/g)]
    .filter(([, name = '', next]) => next !== '(' && !OPERATORS.has(name))
    .map(([, metric = '', , matchers = '']) => ({
      metric,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
      values: Object.fromEntries(
        [...matchers.matchAll(/(\w+)\s*="(\d+)"/g)].map(([, label, index]) => [label, texts[Number(index)]!]),
      ),
    }));
}

/** The labels by which an expression groups or joins. */
export function groupingLabelsOf(expression: string): string[] {
  const lists = [...expression.replace(TEXT, '""').matchAll(GROUPING)].map(([, list = '']) => list);
  return [...new Set(lists.flatMap((list) => list.split(',').map((label) => label.trim())))].filter(Boolean);
}
