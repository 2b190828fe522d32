/** Letters and marks of right-to-left scripts. Their digits are excluded, because digits run left to right. */
const LETTERS = '\\u0590-\\u065f\\u066d-\\u06ef\\u06fa-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc';
const LATIN = `[^\\P{L}${LETTERS}]`;
const NOT_LATIN = `[\\P{L}${LETTERS}]`;
const SYMBOL = '[$%#°€£¥₪‰]?';
/** In Hebrew text a hyphen joins numbers; in Arabic text it separates them (rules W2 to W5 of UAX 9). */
const HEBREW_NUMBER = `${SYMBOL}\\p{Nd}+(?:[-+.,:/]\\p{Nd}+)*${SYMBOL}`;
const ARABIC_NUMBER = '\\p{Nd}+(?:[.,:/\\u066b\\u066c]\\p{Nd}+)*';
/**
 * A left-to-right run: up to the last letter or digit before the other script, including a closing bracket that was
 * opened after a letter.
 */
const LATIN_RUN =
  `\\p{Nd}*${LATIN}(?:[^${LETTERS}]*(?:${LATIN}|\\p{Nd}))?` +
  `(?:(?<=${LATIN}[^${LETTERS}()]*\\([^${LETTERS}()]*)\\))?`;
const HEBREW_UNITS = new RegExp(`${LATIN_RUN}|${HEBREW_NUMBER}|.`, 'gsu');
const ARABIC_UNITS = new RegExp(`${LATIN_RUN}|${ARABIC_NUMBER}|.`, 'gsu');
const IN_BRACKET = `(?:(?![()])${NOT_LATIN})*`;
const RUN = new RegExp(
  `(?:\\((?=${IN_BRACKET}\\)${IN_BRACKET}[${LETTERS}]))?[${LETTERS}](?:${NOT_LATIN}*[${LETTERS}])?`,
  'gu',
);
const ARABIC_LETTER = /[\u0600-\u065f\u066d-\u06ef\u06fa-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/;
const LETTER = new RegExp(`[${LETTERS}]`);
const ALL_LETTERS = new RegExp(`[${LETTERS}]`, 'g');
const ALL_LATIN = new RegExp(LATIN, 'gu');
const MARKS_AFTER_SPACE = /(?<!\s)(\s+)(\p{M}+)/gu;
const PAIRS = '()[]{}<>«»‹›';

function isRightToLeft(text: string): boolean {
  return LETTER.test(text);
}

/** The number of right-to-left letters minus the number of left-to-right letters. */
function rightToLeftSurplus(text: string): number {
  return (text.match(ALL_LETTERS)?.length ?? 0) - (text.match(ALL_LATIN)?.length ?? 0);
}

/** Converts text from visual order, left to right, to reading order. */
function toLogicalOrder(text: string, dir: 'ltr' | 'rtl'): string {
  if (dir === 'ltr') return text.replace(RUN, (run) => toLogicalOrder(run, 'rtl'));
  return unitsOf(text).map(mirrored).reverse().join('').replace(MARKS_AFTER_SPACE, '$2$1');
}

function unitsOf(text: string): string[] {
  return text.match(ARABIC_LETTER.test(text) ? ARABIC_UNITS : HEBREW_UNITS) ?? [];
}

/** A page contains the bracket that is visible: an opening bracket of right-to-left text looks like a closing one. */
function mirrored(unit: string): string {
  const at = unit.length === 1 ? PAIRS.indexOf(unit) : -1;
  return at < 0 ? unit : PAIRS.charAt(at ^ 1);
}

/**
 * Radicals, presentation forms of Arabic and Hebrew letters, and vertical punctuation. Fonts map glyphs to them
 * instead of the ordinary characters.
 */
const COMPATIBILITY_CHARACTERS =
  /[\u2e80-\u2fdf\ufb00-\ufb06\ufb1d-\ufb4f\ufb50-\ufdff\ufe10-\ufe19\ufe30-\ufe4f\ufe70-\ufefc]/g;
/**
 * Radicals that NFKC does not change, with the characters of Unicode's data on equivalent ideographs. For the last
 * one NFKC gives a traditional character, but fonts for simplified Chinese use it in common words.
 */
const RADICALS =
  '⺁厂 ⺂乛 ⺃乚 ⺄乙 ⺅亻 ⺆冂 ⺈刀 ⺉刂 ⺊卜 ⺋㔾 ⺌小 ⺍小 ⺎兀 ⺏尣 ⺐尢 ⺒巳 ⺓幺 ⺔彑 ⺕彐 ⺖忄 ⺗心 ⺘扌 ⺙攵 ⺛旡 ⺜日 ⺝月 ⺞歺 ⺠民 ⺡氵 ⺢氺 ' +
  '⺣灬 ⺤爫 ⺥爫 ⺦丬 ⺧牛 ⺨犭 ⺩王 ⺫目 ⺬示 ⺭礻 ⺯糹 ⺰纟 ⺱罓 ⺲罒 ⺳㓁 ⺴冗 ⺶羊 ⺹耂 ⺺肀 ⺻聿 ⺼肉 ⺾艹 ⺿艹 ⻀艹 ⻁虎 ⻂衤 ⻃覀 ⻄西 ⻅见 ⻆角 ' +
  '⻈讠 ⻉贝 ⻋车 ⻌辶 ⻍辶 ⻎辶 ⻏邑 ⻐钅 ⻑長 ⻒镸 ⻓长 ⻔门 ⻖阝 ⻗雨 ⻘青 ⻙韦 ⻚页 ⻛风 ⻜飞 ⻝食 ⻟飠 ⻠饣 ⻢马 ⻣骨 ⻤鬼 ⻥鱼 ⻦鸟 ⻧卤 ⻨麦 ⻩黄 ' +
  '⻪黾 ⻫斉 ⻬齐 ⻭歯 ⻮齿 ⻯竜 ⻰龙 ⻱龜 ⻲亀 ⼾户';
const CHARACTERS = new Map(RADICALS.split(' ').map(([radical = '', character = '']) => [radical, character]));

/** Replaces compatibility characters by the ordinary characters. */
function replaceCompatibilityCharacters(text: string): string {
  return text.replace(COMPATIBILITY_CHARACTERS, (drawn) => CHARACTERS.get(drawn) ?? drawn.normalize('NFKC'));
}

/** A text on one baseline, in the order in which it is drawn. */
export interface PdfItem {
  str: string;
  width: number;
  height: number;
  transform: number[];
  hasEOL: boolean;
  /** Items of one line and part belong together. */
  part: number;
}

/** Text at a position along the writing direction, so that rotated text is treated like other text. */
export interface TextRun {
  text: string;
  start: number;
  end: number;
}

/**
 * In units of the font size. Text after a wider gap may be a separate cell. At half spaces become cells; at
 * twice narrow columns are joined.
 */
const MIN_CELL_GAP = 0.35;
/** In right-to-left text a wider gap is a space. It is half the width of an ordinary space. */
const MIN_SPACE_GAP = 0.15;

/** Text items on the same baseline. */
export class PageLine {
  readonly size: number;
  readonly angle: number;
  /** Position across the writing direction; increases downwards. */
  readonly baseline: number;
  cells: TextRun[] = [];
  /** Right-to-left letters minus left-to-right letters. */
  rightToLeftSurplus = 0;
  hasRightToLeft = false;
  isRightToLeft = false;
  isRow = false;
  text = '';
  private readonly runs: TextRun[] = [];
  private readonly cos: number;
  private readonly sin: number;

  constructor(private readonly first: PdfItem) {
    const [a = 1, b = 0, , , x = 0, y = 0] = first.transform;
    this.angle = Math.atan2(b, a);
    this.cos = Math.cos(this.angle);
    this.sin = Math.sin(this.angle);
    this.size = first.height || Math.hypot(a, b) || 1;
    this.baseline = x * this.sin - y * this.cos;
  }

  /** Indent from the margin at which the line starts, which is the right one for right-to-left text. */
  get start(): number {
    return this.isRightToLeft ? -this.cells.at(-1)!.end : this.cells[0]!.start;
  }

  add({ str, width, transform }: PdfItem): void {
    const last = this.runs.at(-1);
    if (last && str.trim() === '') last.text += str;
    else {
      const start = (transform[4] ?? 0) * this.cos + (transform[5] ?? 0) * this.sin;
      this.hasRightToLeft ||= isRightToLeft(str);
      this.runs.push({ text: str, start, end: start + width });
    }
  }

  end(): void {
    for (const piece of this.hasRightToLeft ? sortLeftToRight(this.runs) : this.runs) {
      const cell = this.cells.at(-1);
      const gap = cell ? (piece.start - cell.end) / this.size : Infinity;
      if (!cell || gap > MIN_CELL_GAP) this.cells.push({ ...piece });
      else {
        const isApart = this.hasRightToLeft && gap > MIN_SPACE_GAP && piece.end > piece.start;
        cell.text += isApart ? ` ${piece.text}` : piece.text;
        cell.end = Math.max(cell.end, piece.end);
      }
    }
    this.runs.length = 0;
    if (this.hasRightToLeft)
      this.rightToLeftSurplus = rightToLeftSurplus(this.cells.map(({ text }) => text).join(''));
  }

  /** A line at the same place that holds only some of its cells. */
  part(cells: TextRun[]): PageLine {
    const part = new PageLine(this.first);
    part.cells = cells;
    return part;
  }

  /** Adds text of a form field behind the line. */
  append(run: TextRun): void {
    const last = this.cells.at(-1)!;
    last.text = `${last.text} ${run.text}`;
    last.end = Math.max(last.end, run.end);
  }

  /** Joins the cells to the text of the line. `columns` tells after which cells a column ends. */
  compose(columns: boolean[]): void {
    const texts: string[] = [];
    for (const [index, { text }] of this.cells.entries()) {
      if (index === 0 || columns[index - 1]) texts.push(text);
      else texts.push(texts.pop()! + (this.hasRightToLeft ? ' ' : '') + text);
    }
    if (this.isRightToLeft) texts.reverse();
    const dir = this.isRightToLeft ? 'rtl' : 'ltr';
    this.text = texts
      .map((text) =>
        replaceCompatibilityCharacters(this.hasRightToLeft ? toLogicalOrder(text, dir) : text).trim(),
      )
      .join(' | ');
    this.isRow = texts.length > 1;
  }
}

/** Some producers draw cells or words from right to left. Marks may start slightly before their letter. */
function sortLeftToRight(runs: TextRun[]): TextRun[] {
  const stretches: TextRun[][] = [];
  let before: TextRun | undefined;
  for (const piece of runs) {
    if (before && piece.end > before.start) stretches.at(-1)!.push(piece);
    else stretches.push([piece]);
    before = piece;
  }
  return stretches.sort((a, b) => a[0]!.start - b[0]!.start).flat();
}
