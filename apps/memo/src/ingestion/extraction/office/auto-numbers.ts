import { inNumberFormat } from '../text/number-formats';

/** ISO 29500-1, 21.1.2.2.7: levels of paragraphs. */
const MAX_LEVELS = 9;
/** The formats of `ST_TextAutonumberScheme`; their names end with what stands around the number. */
const FORMATS = new Map([
  ['alphaLc', 'lowerLetter'],
  ['alphaUc', 'upperLetter'],
  ['romanLc', 'lowerRoman'],
  ['romanUc', 'upperRoman'],
  ['arabicDb', 'decimalFullWidth'],
  ['circleNumDb', 'decimalEnclosedCircle'],
  ['circleNumWdBlack', 'decimalEnclosedCircle'],
  ['circleNumWdWhite', 'decimalEnclosedCircle'],
  ['ea1Chs', 'chineseCountingThousand'],
  ['ea1Cht', 'taiwaneseCountingThousand'],
  ['ea1JpnChsDb', 'japaneseCounting'],
  ['ea1JpnKor', 'koreanCounting'],
  ['arabic1', 'arabicAlpha'],
  ['arabic2', 'arabicAbjad'],
  ['hebrew2', 'hebrew2'],
  ['thaiAlpha', 'thaiLetters'],
  ['thaiNum', 'thaiNumbers'],
  ['hindiAlpha', 'hindiConsonants'],
  ['hindiAlpha1', 'hindiVowels'],
  ['hindiNum', 'hindiNumbers'],
]);
const AROUND: Record<string, (number: string) => string> = {
  ParenBoth: (number) => `(${number}) `,
  ParenR: (number) => `${number}) `,
  Period: (number) => `${number}. `,
  Plain: (number) => `${number} `,
  Minus: (number) => `${number}- `,
};
const SCHEME = /^(\w{1,20}?)(ParenBoth|ParenR|Period|Plain|Minus)$/;

const LEVEL = /^lvl([1-9])pPr$/;
const OTHER_BULLETS = new Set(['buNone', 'buChar', 'buBlip']);

interface Scheme {
  type: string;
  start: number;
}

/** Counts the paragraphs of a shape that number themselves (`a:buAutoNum`). */
export class AutoNumbers {
  /** What the last paragraph of each level is numbered as, and its number. */
  private readonly last: ({ key: string; number: number } | undefined)[] = [];
  private level = 0;
  /** How the paragraph is numbered; null if it is not, undefined if that is up to the shape. */
  private scheme: Scheme | null | undefined;
  private isTaken = true;
  /** How the shape numbers the levels of its paragraphs. */
  private readonly ofShape: (Scheme | undefined)[] = [];
  private isInParagraph = false;

  openParagraph(): void {
    this.level = 0;
    this.scheme = undefined;
    this.isTaken = false;
    this.isInParagraph = true;
  }

  /** Reads an element within the properties of a paragraph or of a level of the shape. */
  open(name: string, attributes: Record<string, string>): void {
    const level = LEVEL.exec(name)?.[1];
    if (level !== undefined) this.level = Number(level) - 1;
    else if (name === 'pPr') this.describe(attributes);
    else if (name === 'buAutoNum') this.number(attributes);
    else if (OTHER_BULLETS.has(name)) this.scheme = null;
  }

  private describe({ lvl = '0' }: Record<string, string>): void {
    const level = Number(lvl);
    this.level = Number.isInteger(level) && level >= 0 && level < MAX_LEVELS ? level : 0;
  }

  private number({ type = '', startAt }: Record<string, string>): void {
    const start = Number(startAt ?? 1);
    const scheme = { type, start: Number.isInteger(start) && start > 0 ? start : 1 };
    if (this.isInParagraph) this.scheme = scheme;
    else this.ofShape[this.level] = scheme;
  }

  /** The number of the paragraph before its first text; empty without one, and before further text. A paragraph without text is not counted. */
  take(): string {
    if (this.isTaken) return '';
    this.isTaken = true;
    const { level, last } = this;
    const scheme = this.scheme === undefined ? this.ofShape[level] : this.scheme;
    last.length = Math.min(last.length, level + 1);
    if (!scheme) {
      last[level] = undefined;
      return '';
    }
    const key = `${scheme.type} ${scheme.start}`;
    const before = last[level];
    const number = before?.key === key ? before.number + 1 : scheme.start;
    last[level] = { key, number };
    const [, format = '', around = 'Period'] = SCHEME.exec(scheme.type) ?? [];
    return AROUND[around]!(inNumberFormat(number, FORMATS.get(format) ?? 'decimal'));
  }
}
