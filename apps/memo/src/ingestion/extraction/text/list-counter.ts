import { normalizeText } from './characters';

/** Lists of a document that are known. Word takes about 2,000. Each costs ten times its bytes in memory. */
export const MAX_LISTS = 20_000;

/** What stands before the text of an item: a number with the text around it, on one line. Empty without any. */
export function listLabel(text: string, separator = ' '): string {
  const label = normalizeText(text).replace(/\s+/g, ' ').trim();
  return label === '' ? '' : label + separator;
}

/** Counts the items of a list in levels. The first level is 0. */
export class ListCounter {
  private readonly counts: (number | undefined)[] = [];

  /**
   * Counts an item. Levels above it without an item have one from now on, as in Word and LibreOffice: "1.1" is followed by "2".
   * @param startOf the number of the first item of a level
   */
  count(level: number, startOf: (level: number) => number): void {
    for (let above = 0; above < level; above++) this.counts[above] ??= startOf(above);
    const last = this.counts[level];
    this.counts[level] = last === undefined ? startOf(level) : last + 1;
  }

  /** Makes the next item of a level the first one. */
  restart(level: number): void {
    this.counts[level] = undefined;
  }

  /** Makes the next item of this level and of each deeper one the first one. */
  restartFrom(level: number): void {
    this.counts.length = Math.min(this.counts.length, level);
  }

  /** The number of the last item of a level. */
  at(level: number): number | undefined {
    return this.counts[level];
  }
}
