import { Parser } from 'htmlparser2';
import { type ReadingOutput } from './format-reader';
import { decodeText, detectEncoding } from './text/character-encoding';
import { ExtractionError } from '../../tables/extraction-error';
import { alphabetic, MAX_ROMAN, roman } from './text/number-formats';
import { TableWriter } from './text/table-writer';
import { type TextWriter } from './text/text-writer';
import { SHOWN, styleIn, type Visibility } from './inline-style';
import { closedIn, isWord } from './html-elements';
import { endedBy, isXhtml, type OpenElement } from './html-structure';
import { type OmissionKind, type Omissions } from '../../tables/omission';

const SKIPPED = new Set(
  'title script style template noscript iframe object canvas audio video datalist rt rtc rp noframes'.split(
    ' ',
  ),
);
const BLOCKS = new Set(
  (
    'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'header hgroup h1 h2 h3 h4 h5 h6 hr legend listing main menu nav ol optgroup option p pre search section summary table ul xmp'
  ).split(' '),
);
const LISTS = new Set(['ul', 'ol', 'menu', 'dir']);
/** Elements of SVG whose text is read (SVG 2, 5.8 and 11.2). Text elsewhere in a drawing is not shown. */
const LABELS = new Set(['text', 'title', 'desc']);
/** Attributes of SVG that are declarations of a style (SVG 2, 6.6), as far as they hide. */
const HIDING_ATTRIBUTES = ['display', 'visibility', 'opacity', 'font-size'];
/** Elements that show something other than text. */
const PICTURES = new Set(['img', 'svg', 'canvas']);
const EMBEDDED = new Set(['iframe', 'object', 'audio', 'video', 'embed']);
/** Boxes in a line of text, which separate the words beside them. */
const BOXES = new Set([
  ...'button select textarea input meter progress'.split(' '),
  ...PICTURES,
  ...EMBEDDED,
]);
/** Inputs whose value is no text that a page shows. */
const WITHOUT_TEXT = new Set('hidden password checkbox radio file image range color'.split(' '));
/** Other parts of a page are laid out as tables and lists, whatever their style. */
const OWN_LAYOUT = new Set('table caption colgroup col thead tbody tfoot tr td th li br'.split(' '));
const READING_AIDS = new Set(['rt', 'rtc', 'rp']);
/** Deepest nesting that is parsed. The parser's time grows with the square of the depth; browsers stop at 512. */
const MAX_DEPTH = 20_000;
/**
 * Most attributes of one element. The parser keeps them in an object; V8 may end the process when such an object
 * grows.
 */
const MAX_ATTRIBUTES = 10_000;
/** Deeper lists are indented like this level. */
const MAX_LIST_INDENT = 8;

export function readHtml(bytes: Uint8Array, { writer, omissions, onProgress }: ReadingOutput): void {
  const page = new HtmlText(writer, omissions);
  for (const { text, processed } of decodeText(bytes, detectEncoding(bytes, true))) {
    page.write(text);
    onProgress(processed, bytes.length);
  }
  page.end();
}

/** A comment ends with this too (HTML 13.2.5.51). */
const OTHER_COMMENT_END = '--!>';

interface List {
  isOrdered: boolean;
  next: number;
  step: number;
  type: string;
}

/** A number in the style of a list (HTML 4.4.5). */
function ordinal(value: number, type: string): string {
  const isRoman = type === 'i' || type === 'I';
  if (!/^[aAiI]$/.test(type) || value < 1 || (isRoman && value > MAX_ROMAN)) return String(value);
  const letters = isRoman ? roman(value) : alphabetic(value);
  return type === type.toLowerCase() ? letters : letters.toUpperCase();
}

/** The integer at the start of an attribute, as HTML parses it. */
const integerIn = (attribute: string | undefined): number | undefined => {
  const [digits] = /^\s*[+-]?\d{1,9}(?!\d)/.exec(attribute ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * Handles tags as they arrive without building a tree, so memory and stack do not grow with the size or depth of the
 * page.
 */
export class HtmlText {
  private parser: Parser | undefined;
  private isXml = false;
  /** The piece of the page that is parsed, and where it begins. */
  private piece = { html: '', start: 0 };
  /** The names with an end tag in the piece; undefined until they are needed. */
  private closed: Set<string> | undefined;
  /** As the parser nests them. Those that end where another one begins are marked as ended. */
  private readonly elements: OpenElement[] = [];
  private attributes = 0;
  private skipped: OpenElement | undefined;
  private skippedAs: OmissionKind | undefined;
  private visibility = SHOWN;
  /** The visibility around each open element that changes it. */
  private readonly around: { element: OpenElement; visibility: Visibility }[] = [];
  private preformatted = 0;
  private lists: List[] = [];
  private readonly tables: TableWriter;

  constructor(
    private readonly writer: TextWriter,
    private readonly omissions: Omissions,
  ) {
    this.tables = new TableWriter(writer);
  }

  write(html: string): void {
    this.parser ??= this.newParser(html);
    this.piece = {
      html: html.includes(OTHER_COMMENT_END) ? html.replaceAll(OTHER_COMMENT_END, '-->') : html,
      start: this.piece.start + this.piece.html.length,
    };
    this.closed = undefined;
    this.parser.write(this.piece.html);
  }

  end(): void {
    this.parser?.end();
  }

  /** @param start of the page, which tells whether empty elements may end with their start tag */
  private newParser(start: string): Parser {
    const isXml = isXhtml(start);
    this.isXml = isXml;
    return new Parser(
      {
        onattribute: () => this.countAttribute(),
        onopentag: (name, attributes) => this.open(name, attributes),
        ontext: (text) => this.text(text),
        onclosetag: () => this.close(),
      },
      { decodeEntities: true, recognizeSelfClosing: isXml, recognizeCDATA: isXml },
    );
  }

  private countAttribute(): void {
    this.attributes += 1;
    if (this.attributes > MAX_ATTRIBUTES)
      throw new ExtractionError('too_complex', 'An element of the HTML has too many attributes.');
  }

  private open(name: string, attributes: Record<string, string>): void {
    this.attributes = 0;
    const word = this.wordInBrackets(name);
    if (word) {
      this.nest({ name: '', isEnded: true });
      return this.text(word);
    }
    for (const ended of endedBy(name, this.elements)) {
      ended.isEnded = true;
      this.leave(ended);
    }
    const parent = this.elements.at(-1);
    const element: OpenElement = { name, isEnded: false };
    this.nest(element);
    if (this.skipped) return;
    this.countOmission(name);
    const isHidden = attributes.hidden !== undefined && attributes.hidden.toLowerCase() !== 'until-found';
    element.content = contentOf(name, parent?.content);
    const isDrawn = element.content === 'drawing' || element.content === 'label';
    const style = styleIn(this.visibility, isDrawn ? styleOfDrawing(attributes) : attributes.style, isHidden);
    if (BOXES.has(name) && style) this.separate(name);
    if ((SKIPPED.has(name) && element.content !== 'label') || !style) {
      this.skipped = element;
      this.skippedAs = READING_AIDS.has(name) ? 'reading_aid' : style ? undefined : 'hidden_text';
      return;
    }
    const { visibility, layout } = style;
    if (visibility !== this.visibility) {
      this.around.push({ element, visibility: this.visibility });
      this.visibility = visibility;
    }
    element.hasItems = layout === 'flexible';
    if (!BLOCKS.has(name) && !OWN_LAYOUT.has(name))
      element.edge = parent?.hasItems && !layout ? 'box' : layout === 'flexible' ? 'block' : layout;
    if (parent?.name === 'mfrac') this.divide(parent);
    this.begin(element, attributes);
  }

  private nest(element: OpenElement): void {
    this.elements.push(element);
    if (this.elements.length > MAX_DEPTH)
      throw new ExtractionError('too_complex', 'The HTML is nested too deeply.');
  }

  /** The tag as it is written, if it is a word in angle brackets without an end tag, such as `List<String>`. */
  private wordInBrackets(name: string): string | undefined {
    if (this.isXml || !isWord(name) || this.elements.at(-1)?.content) return undefined;
    this.closed ??= closedIn(this.piece.html);
    const { html, start } = this.piece;
    const from = this.parser!.startIndex - start;
    return this.closed.has(name) || from < 0
      ? undefined
      : html.slice(from, this.parser!.endIndex + 1 - start);
  }

  private begin(element: OpenElement, attributes: Record<string, string>): void {
    const { name } = element;
    if (element.edge) this.breakAt(element.edge);
    if (name === 'br') this.tables.newline();
    else if (name === 'img' && attributes.alt && this.isShown) this.writer.flow(` ${attributes.alt} `);
    else if (name === 'input') this.showInput(attributes);
    else if (name === 'table') this.openTable();
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'td' || name === 'th') this.tables.openCell();
    else if (name === 'li') this.openItem(attributes);
    else if (isLabel(element) || (name === 'tspan' && (attributes.x ?? attributes.y))) this.separate('svg');
    else if (BLOCKS.has(name)) this.openBlock(name, attributes);
  }

  private close(): void {
    const element = this.elements.pop();
    if (element && !element.isEnded) this.leave(element);
  }

  private leave(element: OpenElement): void {
    const { name, edge } = element;
    const isBox = BOXES.has(name);
    if (this.skipped) {
      if (this.skipped !== element) return;
      this.skipped = undefined;
      return isBox && this.skippedAs === undefined ? this.separate(name) : undefined;
    }
    if (this.around.at(-1)?.element === element) this.visibility = this.around.pop()!.visibility;
    if (name === 'table') this.tables.close();
    else if (name === 'td' || name === 'th') this.tables.closeCell();
    else if (BLOCKS.has(name)) this.closeBlock(name);
    else if (isBox) this.separate(name);
    else if (isLabel(element)) this.separate('svg');
    if (edge) this.breakAt(edge);
  }

  private text(text: string): void {
    if (this.skipped) {
      if (this.skippedAs) this.omissions.add(this.skippedAs, text.trim().length);
    } else if (!this.isShown || this.elements.at(-1)?.content === 'drawing')
      this.omissions.add('hidden_text', text.trim().length);
    else if (this.preformatted > 0 && !this.tables.inCell) this.writer.verbatim(text);
    else this.writer.flow(text);
  }

  /** Parts words at a box. Characters of scripts without spaces stay together around a picture. */
  private separate(name = ''): void {
    if (this.isShown && this.writer.length > 0)
      this.writer.flow(PICTURES.has(name) || EMBEDDED.has(name) ? '\n' : ' ');
  }

  private breakAt(edge: 'block' | 'box'): void {
    if (edge === 'box') this.separate();
    else if (this.lists.length > 0) this.tables.newline();
    else this.tables.breakBlock();
  }

  /** Writes the bar of a fraction before its denominator. */
  private divide(fraction: OpenElement): void {
    if (fraction.hasNumerator && this.isShown) this.writer.flow('/');
    fraction.hasNumerator = true;
  }

  private showInput({ type = 'text', value = '' }: Record<string, string>): void {
    if (this.isShown && !WITHOUT_TEXT.has(type.toLowerCase())) this.writer.flow(` ${value} `);
  }

  private get isShown(): boolean {
    return this.visibility.isVisible && this.visibility.isSized;
  }

  private countOmission(name: string): void {
    if (PICTURES.has(name)) this.omissions.add('picture');
    if (EMBEDDED.has(name)) this.omissions.add('embedded_file');
  }

  private openBlock(name: string, attributes: Record<string, string>): void {
    // A nested list continues the block of the outer list.
    if (this.lists.length > 0) this.tables.newline();
    else this.tables.breakBlock();
    if (LISTS.has(name)) this.lists.push(listOf(name, attributes));
    if (name === 'pre' || name === 'listing' || name === 'xmp') this.preformatted++;
    if (name === 'optgroup' && attributes.label && this.isShown) this.writer.flow(attributes.label);
  }

  private closeBlock(name: string): void {
    if (LISTS.has(name)) {
      this.lists.pop();
      if (!this.tables.inCell) this.writer.prefix('');
    }
    if (name === 'pre' || name === 'listing' || name === 'xmp')
      this.preformatted = Math.max(0, this.preformatted - 1);
    if (this.lists.length > 0) this.tables.newline();
    else this.tables.breakBlock();
  }

  private openItem({ value }: Record<string, string>): void {
    const list = this.lists.at(-1);
    this.tables.newline();
    let mark = '-';
    if (list?.isOrdered) {
      const number = integerIn(value) ?? list.next;
      list.next = number + list.step;
      mark = `${ordinal(number, list.type)}.`;
    }
    if (this.tables.inCell) return list?.isOrdered && this.isShown ? this.writer.flow(`${mark} `) : undefined;
    const indent = '  '.repeat(Math.min(MAX_LIST_INDENT, Math.max(0, this.lists.length - 1)));
    this.writer.prefix(`${indent}${mark} `);
  }

  private openTable(): void {
    this.writer.block();
    this.tables.open();
  }
}

/** What the text of an element is, by its name and the content of the element around it. */
function contentOf(name: string, around: OpenElement['content']): OpenElement['content'] {
  if (name === 'svg') return 'drawing';
  // An element of a page ends the drawing around it (HTML 13.2.6.5).
  if (!around || name === 'foreignobject' || BLOCKS.has(name)) return undefined;
  return LABELS.has(name) ? 'label' : around;
}

const isLabel = ({ name, content }: OpenElement): boolean => content === 'label' && LABELS.has(name);

/** Sprites of no size hold drawings that other places show. */
function styleOfDrawing(attributes: Record<string, string>): string {
  const { width, height, style = '' } = attributes;
  if (width === '0' && height === '0') return 'display:none';
  const hiding = HIDING_ATTRIBUTES.filter((name) => attributes[name] !== undefined);
  return `${hiding.map((name) => `${name}:${attributes[name]}`).join(';')};${style}`;
}

const LIST_STYLE = /(?:^|;)\s*list-style(?:-type)?\s*:([^;]*)/gi;
/** Counter styles (CSS Counter Styles, 6) by the `type` of a list that counts alike; bullets, and lists without marks, have none. */
const COUNTER_STYLES = new Map<string, string | undefined>([
  ['decimal', '1'],
  ['decimal-leading-zero', '1'],
  ['lower-alpha', 'a'],
  ['lower-latin', 'a'],
  ['upper-alpha', 'A'],
  ['upper-latin', 'A'],
  ['lower-roman', 'i'],
  ['upper-roman', 'I'],
  ...['disc', 'circle', 'square', 'none'].map((name): [string, undefined] => [name, undefined]),
]);

function listOf(name: string, attributes: Record<string, string>): List {
  const { start, type = '1', reversed, style = '' } = attributes;
  const first = integerIn(start);
  const words = [...style.toLowerCase().matchAll(LIST_STYLE)].at(-1)?.[1]?.split(/\s+/);
  const counter = words?.find((word) => COUNTER_STYLES.has(word));
  const shown = counter === undefined ? (name === 'ol' ? type : undefined) : COUNTER_STYLES.get(counter);
  // Where a list counts down to one, its first number is known at its end.
  const isOrdered = shown !== undefined && (reversed === undefined || first !== undefined);
  return { isOrdered, next: first ?? 1, step: reversed === undefined ? 1 : -1, type: shown ?? type };
}
