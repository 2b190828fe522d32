/** `[2]`, `[2, 5]`, and `【2】`, which some models write; what has four digits is a year. */
const MARKER = /[[【]\s*(\d{1,3}(?:\s*[,，、;]\s*\d{1,3})*)\s*[\]】]/g;
/** What may still become one. */
const BEGINNING = /[[【][\d\s,，、;]{0,400}$/;

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
    const beginning = BEGINNING.exec(whole);
    const ready = beginning ? whole.slice(0, beginning.index) : whole;
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
    return text.replace(MARKER, (_marker, list: string) =>
      list
        .split(/\D+/)
        .map(Number)
        .filter((number) => number >= 1 && number <= this.passages)
        .map((number) => {
          this.cited.add(number);
          return `[${number}]`;
        })
        .join(''),
    );
  }
}
