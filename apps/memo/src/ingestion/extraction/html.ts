import { Parser } from 'htmlparser2';
import { type OnProgress } from './text/progress';
import { decodeText, detectEncoding } from './text/character-encoding';
import { ExtractionError } from '../../tables/extraction-error';
import { TableWriter } from './text/table-writer';
import { type TextWriter } from './text/text-writer';

const SKIPPED = new Set(
  'title script style template noscript svg iframe object canvas audio video datalist rt rp noframes'.split(
    ' ',
  ),
);
const BLOCKS = new Set(
  (
    'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'header hgroup h1 h2 h3 h4 h5 h6 hr legend main nav ol p pre section summary table ul option'
  ).split(' '),
);
/** Inline styles that hide text. Style sheets are not evaluated. */
const HIDING_STYLE =
  /display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?![.\d]*[1-9])/i;
/** Deepest nesting that is parsed. The parser's time grows with the square of the depth; browsers stop at 512. */
const MAX_DEPTH = 20_000;
/**
 * Most attributes of one element. The parser keeps them in an object; V8 may end the process when such an object
 * grows.
 */
const MAX_ATTRIBUTES = 10_000;
/** Deeper lists are indented like this level. */
const MAX_LIST_INDENT = 8;

export function readHtml(bytes: Uint8Array, writer: TextWriter, onProgress: OnProgress): void {
  const page = new HtmlText(writer);
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
  private preformatted = 0;
  private lists: List[] = [];
  private readonly tables: TableWriter;

  constructor(private readonly writer: TextWriter) {
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
    if (SKIPPED.has(name) || isHidden(attributes)) {
      this.skippedFrom = this.depth;
      return;
    }
    if (name === 'br') this.tables.newline();
    else if (name === 'img' && attributes.alt) this.writer.flow(` ${attributes.alt} `);
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
    if (name === 'table') this.tables.close();
    else if (name === 'td' || name === 'th') this.tables.closeCell();
    else if (BLOCKS.has(name)) this.closeBlock(name);
  }

  private text(text: string): void {
    if (this.skippedFrom >= 0) return;
    if (this.preformatted > 0 && !this.tables.inCell) this.writer.verbatim(text);
    else this.writer.flow(text);
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

function isHidden(attributes: Record<string, string>): boolean {
  if (attributes.hidden !== undefined && attributes.hidden !== 'until-found') return true;
  return attributes.style !== undefined && HIDING_STYLE.test(attributes.style);
}
