import { Parser } from 'htmlparser2';
import { type ReadingOutput } from './format-reader';
import { decodeText, detectEncoding } from './text/character-encoding';
import { ExtractionError } from '../../tables/extraction-error';
import { TableWriter } from './text/table-writer';
import { type TextWriter } from './text/text-writer';
import { SHOWN, type Visibility, visibilityIn } from './inline-style';
import { type OmissionKind, type Omissions } from '../../tables/omission';

const SKIPPED = new Set(
  'title script style template noscript svg iframe object canvas audio video datalist rt rtc rp noframes'.split(
    ' ',
  ),
);
const BLOCKS = new Set(
  (
    'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'header hgroup h1 h2 h3 h4 h5 h6 hr legend main nav ol p pre section summary table ul option'
  ).split(' '),
);
/** Elements that show something other than text. */
const PICTURES = new Set(['img', 'svg', 'canvas']);
const EMBEDDED = new Set(['iframe', 'object', 'audio', 'video', 'embed']);
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

interface List {
  ordered: boolean;
  count: number;
}

/**
 * Handles tags as they arrive without building a tree, so memory and stack do not grow with the size or depth of the
 * page.
 */
export class HtmlText {
  private readonly parser = new Parser(
    {
      onattribute: () => this.countAttribute(),
      onopentag: (name, attributes) => this.open(name, attributes),
      ontext: (text) => this.text(text),
      onclosetag: (name) => this.close(name),
    },
    { decodeEntities: true },
  );
  private depth = 0;
  private attributes = 0;
  private skippedFrom = -1;
  private skippedAs: OmissionKind | undefined;
  private visibility = SHOWN;
  /** The visibility around each open element that changes it. */
  private readonly around: { depth: number; visibility: Visibility }[] = [];
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
    this.parser.write(html);
  }

  end(): void {
    this.parser.end();
  }

  private countAttribute(): void {
    this.attributes += 1;
    if (this.attributes > MAX_ATTRIBUTES)
      throw new ExtractionError('too_complex', 'An element of the HTML has too many attributes.');
  }

  private open(name: string, attributes: Record<string, string>): void {
    this.attributes = 0;
    if (++this.depth > MAX_DEPTH) throw new ExtractionError('too_complex', 'The HTML is nested too deeply.');
    if (this.skippedFrom >= 0) return;
    this.countOmission(name);
    const isHidden = attributes.hidden !== undefined && attributes.hidden !== 'until-found';
    const visibility = visibilityIn(this.visibility, attributes.style, isHidden);
    if (SKIPPED.has(name) || !visibility) {
      this.skippedFrom = this.depth;
      this.skippedAs = READING_AIDS.has(name) ? 'reading_aid' : visibility ? undefined : 'hidden_text';
      return;
    }
    if (visibility !== this.visibility) {
      this.around.push({ depth: this.depth, visibility: this.visibility });
      this.visibility = visibility;
    }
    if (name === 'br') this.tables.newline();
    else if (name === 'img' && attributes.alt && this.isShown) this.writer.flow(` ${attributes.alt} `);
    else if (name === 'table') this.openTable();
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'td' || name === 'th') this.tables.openCell();
    else if (name === 'li') this.openItem();
    else if (BLOCKS.has(name)) this.openBlock(name);
  }

  private close(name: string): void {
    const depth = this.depth--;
    if (this.skippedFrom >= 0) {
      if (depth === this.skippedFrom) this.skippedFrom = -1;
      return;
    }
    if (this.around.at(-1)?.depth === depth) this.visibility = this.around.pop()!.visibility;
    if (name === 'table') this.tables.close();
    else if (name === 'td' || name === 'th') this.tables.closeCell();
    else if (BLOCKS.has(name)) this.closeBlock(name);
  }

  private text(text: string): void {
    if (this.skippedFrom >= 0) {
      if (this.skippedAs) this.omissions.add(this.skippedAs, text.trim().length);
    } else if (!this.isShown) this.omissions.add('hidden_text', text.trim().length);
    else if (this.preformatted > 0 && !this.tables.inCell) this.writer.verbatim(text);
    else this.writer.flow(text);
  }

  private get isShown(): boolean {
    return this.visibility.isVisible && this.visibility.isSized;
  }

  private countOmission(name: string): void {
    if (PICTURES.has(name)) this.omissions.add('picture');
    if (EMBEDDED.has(name)) this.omissions.add('embedded_file');
  }

  private openBlock(name: string): void {
    // A nested list continues the block of the outer list.
    if (this.lists.length > 0) this.tables.newline();
    else this.tables.breakBlock();
    if (name === 'ul' || name === 'ol') this.lists.push({ ordered: name === 'ol', count: 0 });
    if (name === 'pre') this.preformatted++;
  }

  private closeBlock(name: string): void {
    if (name === 'ul' || name === 'ol') {
      this.lists.pop();
      if (!this.tables.inCell) this.writer.prefix('');
    }
    if (name === 'pre') this.preformatted = Math.max(0, this.preformatted - 1);
    if (this.lists.length > 0) this.tables.newline();
    else this.tables.breakBlock();
  }

  private openItem(): void {
    const list = this.lists.at(-1) ?? { ordered: false, count: 0 };
    this.tables.newline();
    // In a table the text before the next word is the cell separator.
    if (this.tables.inCell) return;
    const indent = '  '.repeat(Math.min(MAX_LIST_INDENT, Math.max(0, this.lists.length - 1)));
    this.writer.prefix(`${indent}${list.ordered ? `${++list.count}.` : '-'} `);
  }

  private openTable(): void {
    this.writer.block();
    this.tables.open();
  }
}
