import type * as PdfJs from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A letter where the page shows it. Positions and lengths are in units of the page. */
export interface PageGlyph {
  text: string;
  x: number;
  y: number;
  /** Of the writing direction, in radians. */
  angle: number;
  /** Of the font. */
  size: number;
  /** Length along the writing direction, with the character spacing (`Tc`) that belongs to it. */
  advance: number;
  /** Length without the character spacing. */
  width: number;
  /** Height above the baseline by which the text is raised. */
  rise: number;
  /** A space character stands before it. */
  isAfterSpace: boolean;
  /** Number of the operator that shows it. */
  run: number;
  /** Changes with the font and with marked content: parts of a line that belong together. */
  part: number;
}

type Matrix = readonly [number, number, number, number, number, number];

/** What pdf.js tells about a glyph in an operator list. */
interface FontGlyph {
  originalCharCode: number;
  unicode: string;
  width: number;
  vmetric: number[] | null;
}

export interface FontFacts {
  vertical: boolean;
  fontMatrix?: Matrix;
  isType3Font: boolean;
  bbox?: number[];
}

/** What a reader of operators needs to know about a page. */
export interface PageFacts {
  view: number[];
  fontNamed: (name: string) => FontFacts | undefined;
  /** The annotations whose drawing is read. */
  drawn: Set<string>;
  isLayerShown: (group: unknown) => boolean;
}

/** A replacement text (ISO 32000-1, 14.9.4). */
interface Replacement {
  text: string;
  /** How many parts of marked content are open in it, with its own. */
  depth: number;
  /** Number of its first glyph. */
  first: number;
}

interface TextState {
  ctm: Matrix;
  font: FontFacts | undefined;
  fontSize: number;
  characterSpacing: number;
  wordSpacing: number;
  scale: number;
  leading: number;
  rise: number;
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const FONT_MATRIX: Matrix = [0.001, 0, 0, 0.001, 0, 0];
const INITIAL: TextState = {
  ctm: IDENTITY,
  font: undefined,
  fontSize: 0,
  characterSpacing: 0,
  wordSpacing: 0,
  scale: 1,
  leading: 0,
  rise: 0,
};
/** Letters of scripts whose texts are put in order later, by their places on the page. */
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const HYPHEN_AT_END = /[-\u00ad\u2010]$/;
const SOFT_HYPHEN = '\u00ad';
const SPACE_CODE = 0x20;
const WHITE_SPACE = /^\s+$/;
const FORMAT_MARK = /^\p{Cf}$/u;
const DIACRITIC = /^\p{Mn}$/u;

const product = (m: Matrix, n: Matrix): Matrix => [
  m[0] * n[0] + m[2] * n[1],
  m[1] * n[0] + m[3] * n[1],
  m[0] * n[2] + m[2] * n[3],
  m[1] * n[2] + m[3] * n[3],
  m[0] * n[4] + m[2] * n[5] + m[4],
  m[1] * n[4] + m[3] * n[5] + m[5],
];

const asMatrix = (values: ArrayLike<unknown>): Matrix => Array.from(values, Number) as unknown as Matrix;

/**
 * Follows the operators of a page (ISO 32000-1, 8.4, 9.3 and 9.4). The text that pdf.js assembles itself no longer tells the space
 * between letters from a space character, nor a letter from its shadow.
 */
export class GlyphReader {
  readonly glyphs: PageGlyph[] = [];
  /** Characters outside the page, or in layers that are off. */
  hidden = 0;
  private state: TextState = { ...INITIAL };
  private saved: TextState[] = [];
  /** Whether the open parts of marked content are shown. */
  private readonly shown: boolean[] = [];
  /** Whether the open annotation is one whose drawing is read. */
  private isRead = true;
  private textMatrix = IDENTITY;
  private lineMatrix = IDENTITY;
  /** The open part of marked content whose text the file states. */
  private replacement: Replacement | undefined;
  private isAfterSpace = false;
  private run = 0;
  private part = 0;
  private readonly handlers: Record<number, (values: unknown[]) => void>;

  constructor(
    private readonly page: PageFacts,
    { OPS }: typeof PdfJs,
  ) {
    const nextLine = (): void => this.moveLine(0, -this.state.leading);
    this.handlers = {
      [OPS.save]: () => this.saved.push({ ...this.state }),
      [OPS.restore]: () => (this.state = this.saved.pop() ?? this.state),
      [OPS.transform]: (values) => this.transform(values),
      [OPS.paintFormXObjectBegin]: ([matrix]) => this.beginForm(matrix),
      [OPS.paintFormXObjectEnd]: () => (this.state = this.saved.pop() ?? this.state),
      [OPS.beginText]: () => (this.textMatrix = this.lineMatrix = IDENTITY),
      [OPS.setFont]: ([name, size]) => this.setFont(String(name), Number(size)),
      [OPS.setGState]: ([entries]) => this.setGraphicsState(entries as [string, unknown][]),
      [OPS.setTextRise]: ([rise]) => (this.state.rise = Number(rise)),
      [OPS.setHScale]: ([percent]) => (this.state.scale = Number(percent) / 100),
      [OPS.setLeading]: ([leading]) => (this.state.leading = Number(leading)),
      [OPS.setCharSpacing]: ([spacing]) => (this.state.characterSpacing = Number(spacing)),
      [OPS.setWordSpacing]: ([spacing]) => (this.state.wordSpacing = Number(spacing)),
      [OPS.moveText]: ([x, y]) => this.moveLine(Number(x), Number(y)),
      [OPS.setLeadingMoveText]: ([x, y]) => {
        this.state.leading = -Number(y);
        this.moveLine(Number(x), Number(y));
      },
      [OPS.nextLine]: nextLine,
      [OPS.setTextMatrix]: (values) => {
        const matrix = asMatrix(values.length === 1 ? (values[0] as number[]) : values);
        this.textMatrix = this.lineMatrix = matrix;
      },
      [OPS.showText]: ([glyphs]) => this.show(glyphs as (FontGlyph | number)[]),
      [OPS.beginMarkedContent]: () => this.beginPart(true),
      [OPS.beginMarkedContentProps]: ([tag, group, text]) => {
        this.beginPart(tag !== 'OC' || this.page.isLayerShown(group));
        if (typeof text === 'string') this.beginReplacement(text);
      },
      [OPS.endMarkedContent]: () => {
        if (this.replacement?.depth === this.shown.length) this.endReplacement(this.replacement);
        this.part += 1;
        this.shown.pop();
      },
      [OPS.beginAnnotation]: ([id, , transform, matrix]) => {
        this.beginAnnotation(String(id), [transform, matrix]);
      },
      [OPS.endAnnotation]: () => (this.isRead = true),
    };
  }

  read({ fnArray, argsArray }: { fnArray: number[]; argsArray: unknown[] }): void {
    for (const [at, operator] of fnArray.entries())
      this.handlers[operator]?.((argsArray[at] ?? []) as unknown[]);
    if (this.replacement) this.endReplacement(this.replacement);
  }

  private transform(values: unknown[]): void {
    const matrix = asMatrix(values.length === 1 ? (values[0] as number[]) : values);
    this.state.ctm = product(this.state.ctm, matrix);
  }

  private beginPart(isShown: boolean): void {
    this.part += 1;
    this.shown.push(isShown);
  }

  /** The outermost replacement counts. */
  private beginReplacement(text: string): void {
    if (RIGHT_TO_LEFT.test(text)) return;
    this.replacement ??= { text, depth: this.shown.length, first: this.glyphs.length };
  }

  /** Puts the stated text where the glyphs of the part are. Those on further lines have been said with it. */
  private endReplacement({ text, first }: Replacement): void {
    this.replacement = undefined;
    const replaced = this.glyphs.splice(first);
    const glyph = replaced[0];
    if (!glyph) return;
    const drawn = replaced.map((one) => one.text).join('');
    const stated = text.trim();
    if (stated === '') {
      // A few programs state nothing for all of their text.
      if (text === '' && WORD_CHARACTER.test(drawn)) this.glyphs.push(...replaced);
      else this.hidden += drawn.trim().length;
      this.isAfterSpace ||= text !== '' || glyph.isAfterSpace;
      return;
    }
    const isBroken = HYPHEN_AT_END.test(drawn) && !HYPHEN_AT_END.test(stated);
    const [cos, sin] = [Math.cos(glyph.angle), Math.sin(glyph.angle)];
    const lengths = replaced
      .filter(({ x, y }) => Math.abs((x - glyph.x) * sin - (y - glyph.y) * cos) < glyph.size / 2)
      .map(({ x, y, advance }) => (x - glyph.x) * cos + (y - glyph.y) * sin + advance);
    const advance = Math.max(...lengths);
    this.glyphs.push({
      ...glyph,
      text: isBroken ? stated + SOFT_HYPHEN : stated,
      advance,
      width: advance,
      isAfterSpace: glyph.isAfterSpace || text !== text.trimStart(),
    });
    this.isAfterSpace = text !== text.trimEnd();
  }

  private beginAnnotation(id: string, matrices: unknown[]): void {
    this.part += 1;
    this.state = { ...INITIAL };
    this.saved = [];
    this.isRead = this.page.drawn.has(id);
    for (const matrix of matrices) if (matrix) this.transform([matrix]);
  }

  private beginForm(matrix: unknown): void {
    this.saved.push({ ...this.state });
    this.part += 1;
    if (matrix) this.state.ctm = product(this.state.ctm, asMatrix(matrix as number[]));
  }

  private setGraphicsState(entries: [string, unknown][]): void {
    for (const [key, value] of entries) {
      if (key === 'Font' && Array.isArray(value)) this.setFont(String(value[0]), Number(value[1]));
    }
  }

  private setFont(name: string, size: number): void {
    const font = this.page.fontNamed(name);
    if (font !== this.state.font || size !== this.state.fontSize) this.part += 1;
    this.state.font = font;
    this.state.fontSize = size;
  }

  private moveLine(x: number, y: number): void {
    this.lineMatrix = product(this.lineMatrix, [1, 0, 0, 1, x, y]);
    this.textMatrix = this.lineMatrix;
  }

  private advance(length: number): void {
    const isVertical = this.state.font?.vertical === true;
    const move: Matrix = isVertical ? [1, 0, 0, 1, 0, length] : [1, 0, 0, 1, length * this.state.scale, 0];
    this.textMatrix = product(this.textMatrix, move);
  }

  private show(glyphs: (FontGlyph | number)[]): void {
    const { font, fontSize } = this.state;
    if (!font) return;
    this.run += 1;
    for (const glyph of glyphs) {
      if (typeof glyph === 'number') this.advance(((font.vertical ? 1 : -1) * glyph * fontSize) / 1000);
      else this.showGlyph(glyph, font);
    }
  }

  private showGlyph(glyph: FontGlyph, font: FontFacts): void {
    const { characterSpacing, wordSpacing, fontSize } = this.state;
    const { unicode, originalCharCode } = glyph;
    const unit = (font.fontMatrix ?? FONT_MATRIX)[0] * fontSize;
    const sign = font.vertical ? -1 : 1;
    const width = font.vertical ? (glyph.vmetric?.[0] ?? -glyph.width) * unit : glyph.width * unit;
    const spacing = sign * (characterSpacing + (originalCharCode === SPACE_CODE ? wordSpacing : 0));
    if (this.replacement) this.place(unicode, width, spacing, font);
    else if (WHITE_SPACE.test(unicode)) this.isAfterSpace = true;
    else if (unicode !== '' && !FORMAT_MARK.test(unicode)) this.place(unicode, width, spacing, font);
    this.advance(width + spacing);
  }

  private place(text: string, width: number, spacing: number, font: FontFacts): void {
    const { ctm, fontSize, scale, rise } = this.state;
    const matrix = product(ctm, this.textMatrix);
    const [a, b, c, d] = matrix;
    const x = matrix[4] + c * rise;
    const y = matrix[5] + d * rise;
    const along = font.vertical ? Math.hypot(c, d) : Math.hypot(a, b) * Math.abs(scale);
    const length = Math.abs(width) * along;
    if (!this.isRead) return;
    if (this.shown.includes(false) || this.isOutside(x, y, font.vertical ? 0 : length)) {
      this.hidden += text.length;
      return;
    }
    const direction = fontSize * scale < 0 ? -1 : 1;
    const isMark = DIACRITIC.test(text);
    this.glyphs.push({
      text,
      x,
      y,
      angle: font.vertical ? Math.atan2(-d, -c) : Math.atan2(b * direction, a * direction),
      size: heightOf(font, Math.abs(fontSize)) * Math.hypot(c, d) || 1,
      advance: isMark ? 0 : length + Math.max(0, Math.sign(width || 1) * spacing) * along,
      width: isMark ? 0 : length,
      rise: rise * Math.hypot(c, d),
      isAfterSpace: this.isAfterSpace,
      run: this.run,
      part: this.part,
    });
    this.isAfterSpace = false;
  }

  private isOutside(x: number, y: number, width: number): boolean {
    const [left = 0, bottom = 0, right = 0, top = 0] = this.page.view;
    return x + width < left || x > right || y < bottom || y > top;
  }
}

/** Some Type 3 fonts have glyphs of another size than the font. */
function heightOf({ isType3Font, bbox, fontMatrix }: FontFacts, fontSize: number): number {
  const height = isType3Font && bbox && fontMatrix ? (bbox[3]! - bbox[1]!) * fontMatrix[3] : 0;
  return height > 0 && fontSize <= 1 ? fontSize * height : fontSize;
}
