import { ExtractionError } from '../../tables/extraction-error';
import { type OmissionKind } from '../../tables/omission';
import { type ReadingOutput } from './format-reader';
import { listLabel } from './text/list-counter';
import { CapturedText, type TextWriter } from './text/text-writer';
import { encodingOfCodePage } from './text/decoders';
import { decodeWhole } from './text/character-encoding';
import { isSymbolFont, symbolIn } from './text/symbol-fonts';

/** Destinations (RTF 1.9.1) whose text is not part of the document. */
const SKIPPED = new Map<string, OmissionKind | undefined>([
  ...(
    'colortbl stylesheet info themedata colorschememapping datastore latentstyles listtable listoverridetable revtbl rsidtbl ' +
    'generator xmlnstbl filetbl fldinst nonshppict objdata bkmkstart bkmkend pnseclvl sn sv xe tc tcn shprslt atrfstart atrfend mmathPr wgrffmtfilter'
  )
    .split(' ')
    .map((name): [string, undefined] => [name, undefined]),
  ['pict', 'picture'],
  ['objclass', 'embedded_file'],
]);
/** Destinations after `\*` that hold text of the document; a reader skips those that it does not know. */
const READ_AFTER_STAR = new Set('shpinst shptxt annotation footnote pntext shppict ud do'.split(' '));
/** Destinations that are blocks of their own. */
const BLOCKS = new Set(
  'header headerl headerr headerf footer footerl footerr footerf shptxt dptxbxtext'.split(' '),
);
const NOTES = new Set(['footnote', 'annotation']);
/** Destinations that hold the number or bullet of a paragraph. */
const LIST_TEXTS = new Set(['listtext', 'pntext']);
/** Bullets are signs, or the letter that Word draws as a circle; numbers have letters or digits. */
const NUMBERED = /^(?!o $).*[\p{L}\p{N}]/u;
const SYMBOLS = new Map([
  ['emdash', '\u2014'],
  ['endash', '\u2013'],
  ['lquote', '\u2018'],
  ['rquote', '\u2019'],
  ['ldblquote', '\u201c'],
  ['rdblquote', '\u201d'],
  ['bullet', '\u2022'],
  ['emspace', '\u2003'],
  ['enspace', '\u2002'],
  ['tab', ' '],
]);
/** The encoding of a font's character set (`\fcharset`), where it is another than that of the document. */
const CHARSETS = new Map([
  [77, 'macintosh'],
  [128, 'shift_jis'],
  [129, 'euc-kr'],
  [134, 'gb18030'],
  [136, 'big5'],
  [161, 'windows-1253'],
  [162, 'windows-1254'],
  [163, 'windows-1258'],
  [177, 'windows-1255'],
  [178, 'windows-1256'],
  [186, 'windows-1257'],
  [204, 'windows-1251'],
  [222, 'windows-874'],
  [238, 'windows-1250'],
  [254, 'cp437'],
  [255, 'cp850'],
]);
/** Keywords of the character set of a document. */
const CHARACTER_SETS = new Map([
  ['mac', 'macintosh'],
  ['pc', 'cp437'],
  ['pca', 'cp850'],
]);
const DEFAULT_ENCODING = 'windows-1252';
const MAX_DEPTH = 20_000;
const SIGNATURE = '{\\rtf';
const HEX = /[0-9a-f]{2}/iy;
const WORD = /([a-zA-Z]{1,64})(-?\d{1,10})? ?/y;
/** Text without commands. */
const RUN = /[^\\{}\r\n]+/y;
const HIGH_SURROGATE = /[\ud800-\udbff]/;
/** Where fonts of signs put their characters. */
const PRIVATE_USE = /[\uf000-\uf0ff]/;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const PROGRESS_EVERY = 1024 * 1024;

/** What holds in a group; groups inherit it. */
interface Group {
  isSkipped: boolean;
  /** Whether the text around two alternatives, of which the second one is read, is skipped. */
  isSkippedAround: boolean;
  /** What is counted of the skipped text. */
  omission: OmissionKind | undefined;
  isHidden: boolean;
  isDeleted: boolean;
  isInTable: boolean;
  isFontTable: boolean;
  isBlock: boolean;
  /** The text of a note, which is written after the paragraph: within it the note would split a word or a sentence. */
  note: CapturedText | undefined;
  /** The number or bullet of a paragraph, which stands before its text. */
  label: CapturedText | undefined;
  font: number;
  /** How many characters follow a `\u` for readers that do not know Unicode. */
  fallback: number;
}

export function readRtf(bytes: Uint8Array, output: ReadingOutput): void {
  new RtfText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), output).read();
}

class RtfText {
  /** One character for each byte. */
  private readonly source: string;
  private at = 0;
  private encoding = DEFAULT_ENCODING;
  private readonly fonts = new Map<number, string>();
  /** Fonts whose characters are signs of their own. */
  private readonly symbolFonts = new Map<number, string>();
  private readonly groups: Group[] = [];
  private group: Group = {
    isSkipped: false,
    isSkippedAround: false,
    omission: undefined,
    isHidden: false,
    isDeleted: false,
    isInTable: false,
    isFontTable: false,
    isBlock: false,
    note: undefined,
    label: undefined,
    font: -1,
    fallback: 1,
  };
  /** Bytes of text that are not decoded yet: a character may have several. */
  private pending: number[] = [];
  /** Characters that are left of the alternative to a `\u`. */
  private ignored = 0;
  private isStarred = false;
  /** Where the text of the last group begins: a `\*` means something there only. */
  private openedAt = -1;
  private writer: TextWriter;
  /** The notes of the current paragraph. */
  private notes: string[] = [];
  /** The first half of a character that has two code units. */
  private half = '';
  private isRowOpen = false;
  /** Where the text goes on behind the number of a paragraph that is being read. */
  private labelled: TextWriter | undefined;
  /** The group of that number. */
  private labelOwner: Group | undefined;
  private isItem = false;
  private isAfterItem = false;

  constructor(
    file: Buffer,
    private readonly output: ReadingOutput,
  ) {
    this.source = file.toString('latin1');
    this.writer = output.writer;
  }

  read(): void {
    const { source, output } = this;
    if (!source.startsWith(SIGNATURE))
      throw new ExtractionError('corrupt', 'The file is not an RTF, or its beginning is missing.');
    let reported = 0;
    while (this.at < source.length) {
      this.readNext();
      if (this.at - reported < PROGRESS_EVERY) continue;
      reported = this.at;
      this.decode();
      output.onProgress(this.at, source.length);
    }
    this.decode();
    // The end of a file that is cut off ends its notes.
    this.endLabel();
    while (this.groups.length > 0) this.closeGroup();
    this.writeNotes();
    output.onProgress(source.length, source.length);
  }

  private readNext(): void {
    const { source } = this;
    const code = source.charCodeAt(this.at);
    if (code === BACKSLASH) this.readCommand();
    else if (code === OPEN) this.openGroup();
    else if (code === CLOSE) this.closeGroup();
    else {
      RUN.lastIndex = this.at;
      const run = RUN.exec(source)?.[0] ?? source[this.at]!;
      this.at += run.length;
      if (code !== 0x0d && code !== 0x0a) this.addBytes(run);
    }
  }

  private openGroup(): void {
    this.at++;
    this.decode();
    if (this.groups.length >= MAX_DEPTH)
      throw new ExtractionError('too_complex', 'The RTF is nested too deeply.');
    this.groups.push(this.group);
    this.group = { ...this.group, isBlock: false, note: undefined, label: undefined };
    this.ignored = 0;
    this.openedAt = this.at;
  }

  private closeGroup(): void {
    this.at++;
    this.decode();
    if (this.group.isBlock || this.group.note) this.endLabel();
    if (this.group.isBlock) this.writer.block();
    if (this.group.note) this.closeNote(this.group.note);
    const { label } = this.group;
    this.group = this.groups.pop() ?? this.group;
    this.ignored = 0;
    if (label) this.closeLabel(label);
  }

  private readCommand(): void {
    const { source } = this;
    WORD.lastIndex = ++this.at;
    const match = WORD.exec(source);
    if (!match) return this.readSymbol();
    this.at = WORD.lastIndex;
    const [, name = '', digits] = match;
    const value = digits === undefined ? undefined : Number(digits);
    if (name === 'bin') this.at += Math.max(0, value ?? 0);
    else if (name === 'u') this.addUnicode(value ?? 0);
    else this.obey(name, value);
  }

  /** A command that is one sign. */
  private readSymbol(): void {
    const { source } = this;
    const sign = source[this.at++];
    if (sign === "'") {
      HEX.lastIndex = this.at;
      const [hex] = HEX.exec(source) ?? [];
      if (hex === undefined) return;
      this.at += hex.length;
      this.addBytes(String.fromCharCode(Number.parseInt(hex, 16)));
    } else if (sign === '*') this.isStarred = this.at === this.openedAt + 2;
    else if (sign === '~') this.addText('\u00a0');
    else if (sign === '_') this.addText('\u2011');
    else if (sign === '\n' || sign === '\r') this.newParagraph();
    else if (sign === '\\' || sign === '{' || sign === '}') this.addBytes(sign);
  }

  private obey(name: string, value: number | undefined): void {
    const { group } = this;
    this.decode();
    const isStarred = this.isStarred;
    this.isStarred = false;
    if (name === 'upr') Object.assign(group, { isSkippedAround: group.isSkipped, isSkipped: true });
    else if (name === 'ud') group.isSkipped = group.isSkippedAround;
    else if (SKIPPED.has(name)) this.skip(SKIPPED.get(name));
    else if (isStarred && !READ_AFTER_STAR.has(name)) this.skip(undefined);
    else if (BLOCKS.has(name)) this.openBlock();
    else if (NOTES.has(name)) this.openNote();
    else if (LIST_TEXTS.has(name)) this.openLabel();
    else if (name === 'fonttbl') Object.assign(group, { isSkipped: true, isFontTable: true });
    else if (SYMBOLS.has(name)) this.addSymbol(SYMBOLS.get(name)!);
    else if (name === 'uc') group.fallback = Math.min(16, Math.max(0, value ?? 1));
    else if (name === 'f') group.font = value ?? 0;
    else if (name === 'fcharset' && group.isFontTable) this.nameFont(value ?? 0);
    else if (name === 'ansicpg') this.encoding = encodingOfCodePage(value ?? 0) ?? DEFAULT_ENCODING;
    else if (CHARACTER_SETS.has(name)) this.encoding = CHARACTER_SETS.get(name)!;
    else if (name === 'v') group.isHidden = value !== 0;
    else if (name === 'deleted') group.isDeleted = value !== 0;
    else if (name === 'plain') Object.assign(group, { isHidden: false, isDeleted: false });
    else if (name === 'intbl') group.isInTable = true;
    else if (name === 'pard') group.isInTable = false;
    else if (!group.isSkipped) this.arrange(name);
  }

  private arrange(name: string): void {
    const { writer } = this;
    if (name === 'par' || name === 'sect') this.newParagraph();
    else if (name === 'page' || name === 'column') this.newPage();
    else if (name === 'line' || name === 'softline') this.newLine();
    else if (name === 'cell' || name === 'nestcell') this.endCell();
    else if (name === 'row' || name === 'nestrow') this.endRow();
    else if (name === 'trowd' && !this.isRowOpen) writer.line();
  }

  private newParagraph(): void {
    this.decode();
    if (this.group.isSkipped) return;
    this.endLabel();
    this.writeNotes();
    this.isAfterItem = this.isItem;
    this.isItem = false;
    if (this.group.isInTable) return this.writer.flow(' ');
    // The number of an empty item does not stand before the next text.
    this.writer.prefix('');
    this.writer.block();
  }

  /** A paragraph that goes on behind the break keeps its number. */
  private newPage(): void {
    this.writeNotes();
    if (this.group.isInTable) this.writer.flow(' ');
    else this.writer.block();
  }

  private openLabel(): void {
    const { group, writer } = this;
    if (group.isSkipped || group.label || this.labelled) return;
    group.label = new CapturedText(this.output.writer);
    this.labelled = writer;
    this.labelOwner = group;
    this.writer = group.label.writer;
  }

  /** Items are written line by line. The first one starts a new block, and so does the text after the last one. */
  private closeLabel(label: CapturedText): void {
    this.writer = this.labelled ?? this.output.writer;
    this.labelled = undefined;
    const text = listLabel(label.take());
    if (text === '') return;
    const isNumber = NUMBERED.test(text);
    // In a table the text before the next word is the cell separator.
    if (this.group.isInTable) return isNumber ? this.writer.flow(text) : undefined;
    this.isItem = true;
    this.writer.prefix(isNumber ? text : '- ');
    if (this.isAfterItem) this.writer.tighten();
  }

  /** Ends a number whose group is not closed within its paragraph. The text of the paragraph may be in it. */
  private endLabel(): void {
    const { labelled, labelOwner } = this;
    if (!labelled || !labelOwner?.label) return;
    const text = labelOwner.label.take();
    labelOwner.label = undefined;
    this.writer = labelled;
    this.labelled = undefined;
    this.writer.flow(text);
  }

  private openNote(): void {
    if (this.group.isSkipped || this.writer !== this.output.writer) return;
    this.group.note = new CapturedText(this.output.writer);
    this.group.isInTable = false;
    this.writer = this.group.note.writer;
  }

  private closeNote(note: CapturedText): void {
    this.writer = this.output.writer;
    const text = note.take().replace(/\s+/g, ' ');
    if (text !== '') this.notes.push(text);
  }

  private writeNotes(): void {
    if (this.writer !== this.output.writer) return;
    for (const note of this.notes) this.writer.flow(` [${note}]`);
    this.notes = [];
  }

  private newLine(): void {
    if (this.group.isInTable) this.writer.flow(' ');
    else this.writer.line();
  }

  private endCell(): void {
    this.endLabel();
    this.writeNotes();
    this.isRowOpen = true;
    this.writer.separator('|');
  }

  private endRow(): void {
    this.endLabel();
    this.isRowOpen = false;
    this.writer.line();
  }

  private openBlock(): void {
    if (this.group.isSkipped) return;
    this.group.isBlock = true;
    this.writer.block();
  }

  private skip(omission: OmissionKind | undefined): void {
    if (this.group.isSkipped) return;
    if (omission) this.output.omissions.add(omission);
    this.group.isSkipped = true;
  }

  private nameFont(charset: number): void {
    const encoding = CHARSETS.get(charset);
    if (encoding) this.fonts.set(this.group.font, encoding);
  }

  private nameSymbolFont(text: string): void {
    const name = text.replace(/;.*$/s, '').trim();
    if (isSymbolFont(name)) this.symbolFonts.set(this.group.font, name);
  }

  /** A sign that has a name counts as one character of an alternative to a `\u`. */
  private addSymbol(sign: string): void {
    if (this.ignored > 0) this.ignored--;
    else this.addText(sign);
  }

  /** Adds a code unit of UTF-16. */
  private addUnicode(value: number): void {
    this.decode();
    const symbolFont = this.symbolFonts.get(this.group.font);
    const isSign = symbolFont !== undefined && PRIVATE_USE.test(String.fromCharCode(value & 0xffff));
    const unit = isSign ? symbolIn(symbolFont, value & 0xffff) : String.fromCharCode(value & 0xffff);
    if (HIGH_SURROGATE.test(unit)) this.half = unit;
    else {
      this.addText(this.half + unit);
      this.half = '';
    }
    this.ignored = this.group.fallback;
  }

  private addBytes(bytes: string): void {
    const read = bytes.slice(this.ignored);
    this.ignored = Math.max(0, this.ignored - bytes.length);
    for (let at = 0; at < read.length; at++) this.pending.push(read.charCodeAt(at));
  }

  /** Writes the pending bytes, in the encoding of their font. */
  private decode(): void {
    if (this.pending.length === 0) return;
    const bytes = Uint8Array.from(this.pending);
    this.pending = [];
    const { font, isSkipped } = this.group;
    if (this.group.isFontTable) this.nameSymbolFont(String.fromCharCode(...bytes));
    if (isSkipped) return;
    const symbolFont = this.symbolFonts.get(font);
    if (symbolFont !== undefined) return this.addText(signsOf(symbolFont, bytes));
    this.addText(decodeWhole(bytes, this.fonts.get(font) ?? this.encoding));
  }

  private addText(text: string): void {
    this.decode();
    const { isSkipped, isHidden, isDeleted } = this.group;
    if (isSkipped) return;
    if (isDeleted) this.output.omissions.add('deleted_text', text.trim().length);
    else if (isHidden) this.output.omissions.add('hidden_text', text.trim().length);
    else this.writer.flow(text);
  }
}

/** The signs of a font; spaces separate its words in any font. */
const signsOf = (font: string, codes: Iterable<number>): string =>
  Array.from(codes, (code) => symbolIn(font, code)).join('');
