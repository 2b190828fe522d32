/** `[2]`, `[2, 5]`, and `【2】`, which some models write; what has four digits is a year. */
const MARKER = /[[【]\s*(?:\d{1,3}(?:\s*[,，、;]\s*\d{1,3})*)\s*[\]】]/.source;
/** Those that follow one another, with the spaces in front of them. */
const RUN = new RegExp(`(?<![ \\t])([ \\t]*)((?:${MARKER})+)`, 'g');
/** What may still become one, or whose next character is not known yet. */
const OPEN_END = new RegExp(`[ \\t]{0,80}(?:${MARKER}){0,50}(?:[[【][\\d\\s,，、;]{0,400})?$`);
/** Before it no space is left in the place of markers that are taken away. */
const CLOSING = /[\s.,;:!?)\]}"'…。，、；：！？）】」』”’]/;
const WITH_SPACES = new RegExp(`(?<![ \\t])[ \\t]*${MARKER}`, 'g');

/**
 * Reads an answer as it comes: keeps the markers `[n]` of passages that there are, takes away those of passages that
 * there are not, and remembers which were cited.
 */
export class MarkerFilter {
  readonly cited = new Set<number>();
  private held = '';

  /** @param passages how many the model was told, numbered from 1 */
  constructor(private readonly passages: number) {}

  /** The text that can be shown by now. */
  feed(text: string): string {
    const whole = this.held + text;
    const ready = whole.slice(0, OPEN_END.exec(whole)!.index);
    this.held = whole.slice(ready.length);
    return this.filter(ready);
  }

  /** The rest, at the end of the answer. */
  end(): string {
    const { held } = this;
    this.held = '';
    return this.filter(held);
  }

  private filter(text: string): string {
    return text.replace(RUN, (run: string, space: string, markers: string, at: number) => {
      const kept = (markers.match(/\d+/g) ?? []).map(Number).filter((n) => n >= 1 && n <= this.passages);
      for (const number of kept) this.cited.add(number);
      if (kept.length > 0) return space + kept.map((number) => `[${number}]`).join('');
      const next = text[at + run.length];
      return next === undefined || CLOSING.test(next) ? '' : space;
    });
  }
}

/** An answer as it reads without its markers. */
export const withoutMarkers = (answer: string): string => answer.replace(WITH_SPACES, '');
