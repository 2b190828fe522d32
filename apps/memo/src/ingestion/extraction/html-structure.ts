/** An element whose end the parser has not found. */
export interface OpenElement {
  name: string;
  /** It ended where another element began. */
  isEnded: boolean;
  /** How its style parts it from the text beside it. */
  edge?: 'block' | 'box' | undefined;
  /** Its children are boxes: a flexible box or a grid. */
  hasItems?: boolean;
  hasNumerator?: boolean;
  /** Text in a drawing (SVG) is shown only within its labels. */
  content?: 'drawing' | 'label' | undefined;
}

interface Rule {
  /** The elements that end before the start tag. */
  ends: Set<string>;
  /** Elements beyond which none ends. */
  within: Set<string>;
}

const words = (list: string): Set<string> => new Set(list.split(' '));
const HEADINGS = words('h1 h2 h3 h4 h5 h6');
/** Elements that a paragraph does not contain (HTML 13.2.6.4.7). */
const NO_PHRASING =
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header ' +
  'hgroup hr listing main menu nav ol p plaintext pre search section summary table ul xmp li dd dt';
const SCOPES = 'applet button caption html marquee object table td template th';
const PARAGRAPH: Rule = { ends: words('p'), within: words(`${NO_PHRASING.replace(' p ', ' ')} ${SCOPES}`) };
const CONTAINERS =
  'article aside blockquote center details dialog fieldset figure footer form header main nav section';
const item = (ends: string): Rule => ({
  ends: words(ends),
  within: words(`ul ol menu dir dl ${CONTAINERS} ${SCOPES}`),
});
const RULES = new Map<string, Rule[]>([
  ...NO_PHRASING.split(' ').map((name): [string, Rule[]] => [
    name,
    HEADINGS.has(name) ? [PARAGRAPH, { ends: HEADINGS, within: PARAGRAPH.within }] : [PARAGRAPH],
  ]),
  ['li', [item('li'), PARAGRAPH]],
  ['dd', [item('dd dt'), PARAGRAPH]],
  ['dt', [item('dd dt'), PARAGRAPH]],
  ['a', [{ ends: words('a'), within: words(SCOPES) }]],
  ['td', [{ ends: words('td th caption colgroup'), within: words('tr table template') }]],
  ['th', [{ ends: words('td th caption colgroup'), within: words('tr table template') }]],
  ['tr', [{ ends: words('tr caption colgroup'), within: words('tbody thead tfoot table template') }]],
  ...['tbody', 'thead', 'tfoot'].map((name): [string, Rule[]] => [
    name,
    [{ ends: words('tbody thead tfoot tr caption colgroup'), within: words('table template') }],
  ]),
]);
/** Unclosed elements that are looked at. Pages that nest more of them within a paragraph or a cell are not written by people. */
const MAX_DISTANCE = 100;

/**
 * The elements that end where a start tag begins, the innermost first. The parser ends only the one directly around the tag, and does
 * not know all kinds; a hidden paragraph would hide the list behind it.
 */
export function endedBy(name: string, elements: OpenElement[]): OpenElement[] {
  const [first = [], second = []] = (RULES.get(name) ?? []).map((rule) => endedUnder(rule, elements));
  return second.length > first.length ? second : first;
}

function endedUnder({ ends, within }: Rule, elements: OpenElement[]): OpenElement[] {
  const passed: OpenElement[] = [];
  let count = 0;
  for (const element of lastOf(elements)) {
    if (element.isEnded) continue;
    if (ends.has(element.name)) count = passed.push(element);
    else if (within.has(element.name)) break;
    else passed.push(element);
  }
  return passed.slice(0, count);
}

function* lastOf(elements: OpenElement[]): Generator<OpenElement> {
  for (let at = elements.length - 1; at >= Math.max(0, elements.length - MAX_DISTANCE); at--)
    yield elements[at]!;
}

const XHTML =
  /^\s*<\?xml\s|<!doctype\s+html\s+public\s+["']-\/\/W3C\/\/DTD XHTML|<html\s[^>]*xmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml/i;
const HEAD_CHARACTERS = 2_048;

/** Whether a page is XML, where `<a id="b"/>` is a whole element. */
export const isXhtml = (start: string): boolean => XHTML.test(start.slice(0, HEAD_CHARACTERS));
