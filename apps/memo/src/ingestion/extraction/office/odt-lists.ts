import { ListCounter, listLabel, MAX_LISTS } from '../text/list-counter';
import { alphabetic, inNumberFormat, MAX_ROMAN, roman } from '../text/number-formats';

/** OpenDocument allows more; writers offer ten. */
const MAX_LEVELS = 10;
/** The text around a number stands before each item. */
const MAX_AFFIX = 100;
export const BULLET = '- ';

/** A level of a list style, as its attributes say. */
interface Level {
  isBullet: boolean;
  format: string;
  /** Whether letters repeat: aa, bb. */
  isRepeated: boolean;
  prefix: string;
  suffix: string;
  /** How many levels the number shows. */
  shown: number;
  /** The number and the text around it, with `%1%` for the first level; in newer files, instead of the prefix and the suffix. */
  template: string | undefined;
  start: number;
}

type Style = (Level | undefined)[];

/** Other formats are named by their first numbers. */
const FORMATS = new Map([
  ['一, 二, 三, ...', 'chineseCountingThousand'],
  ['壹, 贰, 叁, ...', 'chineseLegalSimplified'],
  ['壹, 貳, 參, ...', 'ideographLegalTraditional'],
  ['甲, 乙, 丙, ...', 'ideographTraditional'],
  ['子, 丑, 寅, ...', 'ideographZodiac'],
  ['①, ②, ③, ...', 'decimalEnclosedCircle'],
  ['１, ２, ３, ...', 'decimalFullWidth'],
  ['ア, イ, ウ, ...', 'aiueoFullWidth'],
  ['ｱ, ｲ, ｳ, ...', 'aiueo'],
  ['イ, ロ, ハ, ...', 'irohaFullWidth'],
  ['ｲ, ﾛ, ﾊ, ...', 'iroha'],
  ['일, 이, 삼, ...', 'koreanCounting'],
  ['가, 나, 다, ...', 'ganada'],
  ['ㄱ, ㄴ, ㄷ, ...', 'chosung'],
  ['أ, ب, ت, ...', 'arabicAlpha'],
  ['๑, ๒, ๓, ...', 'thaiNumbers'],
  ['ก, ข, ค, ...', 'thaiLetters'],
  ['א, ב, ג, ...', 'hebrew1'],
]);

const affix = (text = ''): string => (text.length > MAX_AFFIX ? '' : text);
const integerIn = (value: string | undefined): number | undefined =>
  value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;

/** A level, counted from 0; undefined if there is no such level. */
const levelIn = (value: string | undefined): number | undefined => {
  const level = Number(value ?? 1) - 1;
  return Number.isInteger(level) && level >= 0 && level < MAX_LEVELS ? level : undefined;
};

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size < MAX_LISTS || map.has(key)) map.set(key, value);
}

/** Reads list styles and the numbering of headings (OpenDocument 1.3-3, chapter 16). */
export class ListStyles {
  private readonly styles = new Map<string, Style>();
  private readonly outline: Style = [];
  private style: Style | undefined;

  open(name: string, attributes: Record<string, string>): void {
    if (name === 'list-style') keep(this.styles, attributes['style:name'] ?? '', (this.style = []));
    else if (name === 'outline-style') this.style = this.outline;
    else if (this.style && /^(?:list-level-style-|outline-level-style$)/.test(name)) {
      const at = levelIn(attributes['text:level']);
      if (at !== undefined) this.style[at] = levelOf(name, attributes);
    }
  }

  /** The style of a list, or of the headings without a name. */
  find(name?: string): Style | undefined {
    return name === undefined ? this.outline : this.styles.get(name);
  }
}

function levelOf(name: string, attributes: Record<string, string>): Level {
  return {
    isBullet: name === 'list-level-style-bullet' || name === 'list-level-style-image',
    format: attributes['style:num-format'] ?? '',
    isRepeated: attributes['style:num-letter-sync'] === 'true',
    prefix: affix(attributes['style:num-prefix']),
    suffix: affix(attributes['style:num-suffix']),
    shown: integerIn(attributes['text:display-levels']) ?? 1,
    template: attributes['loext:num-list-format'] ?? attributes['style:num-list-format'],
    start: integerIn(attributes['text:start-value']) ?? 1,
  };
}

/** One list, or several that go on with each other. */
export class ListRun {
  private readonly counter = new ListCounter();

  constructor(readonly style: Style | undefined) {}

  /** Makes the next item of a level the first one. */
  restart(level: number): void {
    this.counter.restartFrom(level);
  }

  /** Counts an item and returns what stands before it, up to its text. @param value of the item, if it says one */
  count(level: number, value: string | undefined): string {
    const start = integerIn(value);
    if (start !== undefined) this.counter.restart(level);
    this.counter.count(level, (at) => (at === level ? start : undefined) ?? this.style?.[at]?.start ?? 1);
    this.counter.restartFrom(level + 1);
    const { style } = this;
    const own = style?.[level];
    if (!own || own.isBullet) return BULLET;
    return listLabel(own.template === undefined ? this.joined(level, own) : this.filledIn(own.template));
  }

  private filledIn(template: string): string {
    return affix(template).replace(/%(\d{1,2})%/g, (_, digits: string) => {
      const at = Number(digits) - 1;
      const shown = this.style?.[at];
      return shown && shown.format !== '' ? inFormat(this.counter.at(at) ?? 1, shown) : '';
    });
  }

  private joined(level: number, own: Level): string {
    const numbers: string[] = [];
    for (let at = Math.max(0, level - own.shown + 1); at <= level; at++) {
      const shown = this.style?.[at];
      // A level without a format shows no number.
      if (shown && shown.format !== '') numbers.push(inFormat(this.counter.at(at) ?? 1, shown));
    }
    // A level without a number shows what stands around it.
    return own.prefix + (own.format === '' ? '' : numbers.join('.')) + own.suffix;
  }
}

function inFormat(value: number, { format, isRepeated }: Level): string {
  if (format === '1' || value < 1) return String(value);
  if (/^[aA]$/.test(format)) {
    const text = isRepeated ? inNumberFormat(value, 'lowerLetter') : alphabetic(value);
    return format === 'a' ? text : text.toUpperCase();
  }
  if (/^[iI]$/.test(format)) {
    const text = value > MAX_ROMAN ? String(value) : roman(value);
    return format === 'i' ? text : text.toUpperCase();
  }
  return inNumberFormat(value, FORMATS.get(format) ?? 'decimal');
}

/** A list that is open, and the item that is open in it. */
interface OpenList {
  run: ListRun;
  level: number;
  /** The start value of the open item; null if its number is written, or it has none. */
  item: { value: string | undefined } | null;
}

/** Follows the lists of a text, and counts their items and its headings. */
export class OdtLists {
  private readonly lists: OpenList[] = [];
  /** The lists that may be gone on with, by id; that of the style that was last used, by style. */
  private readonly byId = new Map<string, ListRun>();
  private readonly byStyle = new Map<string, ListRun>();
  private headings: ListRun | undefined;

  constructor(private readonly styles: ListStyles) {}

  get depth(): number {
    return this.lists.length;
  }

  open(attributes: Record<string, string>): void {
    const outer = this.lists.at(-1);
    const level = Math.min(MAX_LEVELS - 1, this.lists.length);
    const goesOn = attributes['text:continue-numbering'] === 'true';
    const { 'text:style-name': name, 'text:continue-list': former, 'xml:id': id } = attributes;
    let run: ListRun | undefined;
    if (outer) {
      run = outer.run;
      const own = name === undefined ? undefined : this.styles.find(name);
      if (own && own !== run.style) run = new ListRun(own);
      else if (!goesOn) run.restart(level);
    } else {
      run = former === undefined ? undefined : this.byId.get(former);
      if (goesOn) run ??= this.byStyle.get(name ?? '');
      run ??= new ListRun(this.styles.find(name ?? ''));
      keep(this.byStyle, name ?? '', run);
    }
    if (id !== undefined) keep(this.byId, id, run);
    this.lists.push({ run, level, item: null });
  }

  close(): void {
    this.lists.pop();
  }

  openItem(attributes: Record<string, string>): void {
    const list = this.lists.at(-1);
    if (list) list.item = { value: attributes['text:start-value'] };
  }

  /** An item that begins with another list has no number. */
  openHeader(): void {
    const list = this.lists.at(-1);
    if (list) list.item = null;
  }

  /** What stands before a paragraph: the number of the item that begins with it. */
  takeLabel(): string {
    const list = this.lists.at(-1);
    if (!list?.item) return '';
    const { value } = list.item;
    list.item = null;
    return list.run.count(list.level, value);
  }

  /** What stands before a heading. */
  headingLabel(attributes: Record<string, string>): string {
    const style = this.styles.find();
    const level = levelIn(attributes['text:outline-level']);
    if (!style || level === undefined || !style[level] || attributes['text:is-list-header'] === 'true')
      return '';
    this.headings ??= new ListRun(style);
    const isNew = attributes['text:restart-numbering'] === 'true';
    const value = attributes['text:start-value'];
    if (isNew) this.headings.restart(level);
    const label = this.headings.count(level, isNew ? value : undefined);
    return style[level].format === '' ? '' : label;
  }
}
