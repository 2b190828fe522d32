import { type XmlHandler } from '../package/xml-part';
import { ListCounter, listLabel, MAX_LISTS } from '../text/list-counter';
import { isShown } from '../text/characters';
import { inNumberFormat } from '../text/number-formats';
import { isOn, type WordStyles } from './word-styles';

/** ISO 29500-1, 17.9.3. */
const MAX_LEVELS = 9;
/** Word's dialogues take no longer text of a level. The text stands before each item. */
const MAX_LEVEL_TEXT = 255;
/** A text that shows each level has as many. Twice as many double the time that each item may take. */
const MAX_NUMBERS = MAX_LEVELS;
const NUMBER = /%([1-9])/;
/** Word pads numbers to five digits at most. */
const MAX_WIDTH = 5;
export const BULLET = '- ';

/** A level of a list (`w:lvl`). */
interface Level {
  start: number;
  format?: string;
  /** Pads numbers of the format `custom` with zeros to this width. */
  width?: number;
  text: string;
  isLegal?: boolean;
  /** The number of the level after whose items this one starts anew: of any higher level if undefined, of none if 0. */
  restart?: number;
  /** What separates the number from the text: a space, or nothing. */
  separator: string;
  /** The paragraph style that has this level. */
  style?: string;
  isHidden?: boolean;
}

/** A definition of lists (`w:abstractNum`). Its lists are counted together. */
interface Definition {
  levels: (Level | undefined)[];
  /** The numbering style in which its levels are. */
  link?: string;
}

/** A list (`w:num`), whose levels may replace those of its definition. */
interface List {
  definition: string;
  levels: (Level | undefined)[];
  starts: (number | undefined)[];
}

const levelIn = (value: string | undefined): number | undefined => {
  const level = Number(value ?? 0);
  return Number.isInteger(level) && level >= 0 && level < MAX_LEVELS ? level : undefined;
};
const numberIn = (value: string | undefined): number | undefined => {
  const number = Number.parseInt(value ?? '', 10);
  return Number.isSafeInteger(number) ? number : undefined;
};

/** Reads the definitions of lists (ISO 29500-1, 17.9). */
export class ListDefinitions implements XmlHandler {
  private readonly definitions = new Map<string, Definition>();
  private readonly lists = new Map<string, List>();
  /** The definitions of numbering styles. */
  private readonly linked = new Map<string, Definition>();
  private definition: Definition = { levels: [] };
  private list: List | undefined;
  private level: Level | undefined;
  private overridden: number | undefined;

  constructor(private readonly styles: WordStyles) {}

  open(name: string, attributes: Record<string, string>): void {
    const value = attributes['w:val'];
    if (name === 'abstractNum') this.openDefinition(attributes['w:abstractNumId']);
    else if (name === 'num') this.openList(attributes['w:numId']);
    else if (name === 'lvlOverride') this.overridden = levelIn(attributes['w:ilvl']);
    else if (name === 'lvl') this.openLevel(levelIn(attributes['w:ilvl']));
    else if (this.level) this.describe(this.level, name, attributes);
    else if (value === undefined) return;
    else if (name === 'abstractNumId' && this.list) this.list.definition = value;
    else if (name === 'startOverride' && this.list && this.overridden !== undefined)
      this.list.starts[this.overridden] = numberIn(value);
    else if (name === 'styleLink' && this.linked.size < MAX_LISTS) this.linked.set(value, this.definition);
    else if (name === 'numStyleLink') this.definition.link = value;
  }

  close(name: string): void {
    if (name === 'lvl') this.level = undefined;
    else if (name === 'num') this.list = undefined;
  }

  /** The list of an id, with the definition in which its levels are; undefined if there is none. */
  find(numId: string): { list: List; definition: Definition } | undefined {
    const list = this.lists.get(numId);
    const definition = this.definitions.get(list?.definition ?? '');
    return list && definition && { list, definition: this.follow(definition) };
  }

  /** A link leads to a definition with levels, not to another link. */
  private follow(definition: Definition): Definition {
    const { link } = definition;
    if (link === undefined || definition.levels.length > 0) return definition;
    const ofStyle = this.lists.get(this.styles.listOf(link)?.numId ?? '');
    return this.linked.get(link) ?? this.definitions.get(ofStyle?.definition ?? '') ?? definition;
  }

  private openDefinition(id = ''): void {
    this.definition = { levels: [] };
    if (this.definitions.size < MAX_LISTS) this.definitions.set(id, this.definition);
  }

  private openList(id = ''): void {
    this.list = { definition: '', levels: [], starts: [] };
    if (this.lists.size < MAX_LISTS) this.lists.set(id, this.list);
  }

  private openLevel(at: number | undefined): void {
    this.level = { start: 0, text: '', separator: ' ' };
    const levels = this.list ? this.list.levels : this.definition.levels;
    if (at !== undefined) levels[at] = this.level;
  }

  private describe(level: Level, name: string, attributes: Record<string, string>): void {
    const value = attributes['w:val'];
    if (name === 'start') level.start = numberIn(value) ?? 0;
    // A reader that does not know `custom` finds another format after it.
    else if (name === 'numFmt') level.format ??= this.formatOf(level, attributes);
    else if (name === 'lvlText') level.text = textOf(value);
    else if (name === 'isLgl') level.isLegal = isOn(value);
    else if (name === 'lvlRestart') level.restart = numberIn(value);
    else if (name === 'suff') level.separator = value === 'nothing' ? '' : ' ';
    else if (name === 'pStyle') level.style = value;
    else if (name === 'vanish') level.isHidden = isOn(value);
  }

  private formatOf(
    level: Level,
    { 'w:val': name, 'w:format': custom }: Record<string, string>,
  ): string | undefined {
    const first = /^0*1(?=,)/.exec(custom ?? '')?.[0];
    if (name === 'custom' && first !== undefined) level.width = Math.min(first.length, MAX_WIDTH);
    return name;
  }
}

function textOf(value = ''): string {
  if (value.length > MAX_LEVEL_TEXT) return '';
  return value.split(NUMBER, 2 * MAX_NUMBERS + 2).length > 2 * MAX_NUMBERS + 1 ? '' : value;
}

/** What stands before the text of a paragraph. It holds until the next paragraph is counted. */
export class Label {
  /** @param parts its text, of which no more is built than is asked for */
  constructor(
    readonly level: number,
    private readonly parts: () => Iterable<string> = () => [BULLET],
    private readonly separator?: string,
  ) {}

  get isEmpty(): boolean {
    for (const part of this.parts()) if (part !== '' && isShown(part)) return false;
    return true;
  }

  /** Its text, with what separates it from that of the paragraph. */
  build(): string {
    return listLabel([...this.parts()].join(''), this.separator);
  }
}

/** What a paragraph says of its list. */
export interface Numbered {
  style: string | undefined;
  numId: string | undefined;
  ilvl: string | undefined;
}

/** Counts the numbered paragraphs of a text. */
export class ListNumbers {
  private readonly counters = new Map<Definition, ListCounter>();
  /** The levels of lists that have had their own start. */
  private readonly started = new Set<string>();

  constructor(
    private readonly definitions: ListDefinitions,
    private readonly styles: WordStyles,
  ) {}

  /** Counts a paragraph. Returns undefined if it is in no list. One in an unknown list has a bullet. */
  count({ style, numId: own, ilvl }: Numbered): Label | undefined {
    const ofStyle = this.styles.listOf(style);
    const numId = own ?? ofStyle?.numId;
    if (numId === '0' || (numId === undefined && ilvl === undefined)) return undefined;
    const found = this.definitions.find(numId ?? '');
    if (!found) return new Label(levelIn(ilvl) ?? 0);
    const { list, definition } = found;
    const levels = Array.from({ length: MAX_LEVELS }, (_, at) => list.levels[at] ?? definition.levels[at]);
    const linked = (id: string | undefined): number | undefined => {
      const at = id === undefined ? -1 : levels.findIndex((one) => one?.style === id);
      return at < 0 ? undefined : at;
    };
    // The level of a style is the one that names the style, whatever level the style names (17.9.3).
    const level =
      ilvl === undefined
        ? (linked(style) ?? linked(ofStyle?.style) ?? this.styles.levelOf(style) ?? 0)
        : levelIn(ilvl);
    const shown = level === undefined ? undefined : levels[level];
    if (level === undefined || !shown) return new Label(level ?? 0);
    const counter = this.counterOf(definition);
    this.countIn(counter, levels, level, `${level} ${numId}`, list);
    if (shown.format === 'bullet') return new Label(level);
    return new Label(level, () => partsOf(counter, levels, shown), shown.separator);
  }

  private counterOf(definition: Definition): ListCounter {
    let counter = this.counters.get(definition);
    if (!counter) this.counters.set(definition, (counter = new ListCounter()));
    return counter;
  }

  private countIn(
    counter: ListCounter,
    levels: (Level | undefined)[],
    level: number,
    key: string,
    { starts }: List,
  ): void {
    // A list starts with its own number once, and otherwise goes on with the other lists of its definition.
    if (starts[level] !== undefined && !this.started.has(key)) counter.restart(level);
    this.started.add(key);
    counter.count(level, (at) => starts[at] ?? levels[at]?.start ?? 1);
    for (let below = level + 1; below < MAX_LEVELS; below++) {
      const after = levels[below]?.restart;
      if (after === undefined || level < after) counter.restart(below);
    }
  }
}

/** The numbers that a level shows, and the text between them. */
function* partsOf(counter: ListCounter, levels: (Level | undefined)[], level: Level): Generator<string> {
  if (level.isHidden) return;
  for (const [at, part] of level.text.split(NUMBER).entries()) {
    if (at % 2 === 0) yield part;
    else {
      const number = counter.at(Number(part) - 1);
      if (number !== undefined) yield inLevel(number, levels[Number(part) - 1], level.isLegal);
    }
  }
}

function inLevel(number: number, level: Level | undefined, isLegal = false): string {
  if (isLegal) return String(number);
  if (level?.width !== undefined) return String(number).padStart(level.width, '0');
  return inNumberFormat(number, level?.format ?? 'decimal');
}
