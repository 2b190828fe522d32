/**
 * The beginning of what may be a marker: `[2]`, `[2, 5]`, `[[2]]`, `[[2], 5]`, and `【2】`, which some models write. What has
 * four digits is a year.
 */
const BEGINNING = /^[[【](?:[[【\]】\s,，、;]|\d{1,3}(?!\d))*/;
/** What takes more is none: only so much is held back. */
const MOST_CHARACTERS = 300;
const OPENING_BRACKETS = '[【';
const CLOSING_BRACKETS = ']】';
const SPACE_OR_TEXT = /[ \t]+|[^ \t[【]+/y;
const SPACE = /[ \t]/;
/** Before it no space is left in the place of markers that are taken away. */
const CLOSING = /[\s.,;:!?)\]}"'…。，、；：！？）】」』”’]/;
/** A marker as it is shown. */
const WITH_SPACES = /(?<![ \t])[ \t]*\[\d{1,3}\]/g;
/** What could be taken for a marker in a text that has none of ours. */
const NOTE = /[[【](\s*\d{1,3}(?:\s*[,，、;]\s*\d{1,3})*\s*)[\]】]/g;

/**
 * Reads an answer as it comes: keeps the markers `[n]` of passages that there are, takes away those of passages that
 * there are not, and remembers which were cited. What it shows does not depend on the pieces in which the answer comes.
 */
export class MarkerFilter {
  readonly cited = new Set<number>();
  /** What may still become a marker. */
  private held = '';
  /** What stands in front of whatever comes next. */
  private space = '';
  /** Whether a marker behind that was taken away. */
  private isMarkerGone = false;

  /** @param passages how many the model was told, numbered from 1 */
  constructor(private readonly passages: number) {}

  /** The text that can be shown by now. */
  feed(text: string): string {
    return this.read(this.held + text, false);
  }

  /** The rest, at the end of the answer. */
  end(): string {
    return this.read(this.held, true) + (this.isMarkerGone ? '' : this.space);
  }

  private read(text: string, isWhole: boolean): string {
    let shown = '';
    let at = 0;
    while (at < text.length) {
      SPACE_OR_TEXT.lastIndex = at;
      const plain = SPACE_OR_TEXT.exec(text)?.[0];
      const length = plain === undefined ? markerLength(text.slice(at, at + MOST_CHARACTERS)) : 0;
      if (length === undefined && !isWhole) break;
      // A bracket that begins no marker is text.
      const part = plain ?? text.slice(at, at + (length || 1));
      shown += length ? this.marker(part) : this.plain(part);
      at += part.length;
    }
    this.held = text.slice(at);
    return shown;
  }

  private plain(part: string): string {
    if (SPACE.test(part[0]!)) {
      this.space = this.isMarkerGone ? part : this.space + part;
      this.isMarkerGone = false;
      return '';
    }
    if (this.isMarkerGone && CLOSING.test(part[0]!)) this.space = '';
    return this.takeSpace() + part;
  }

  private marker(marker: string): string {
    const kept = (marker.match(/\d+/g) ?? []).map(Number).filter((n) => n >= 1 && n <= this.passages);
    for (const number of kept) this.cited.add(number);
    if (kept.length > 0) return this.takeSpace() + kept.map((number) => `[${number}]`).join('');
    this.isMarkerGone = true;
    return '';
  }

  private takeSpace(): string {
    const { space } = this;
    this.space = '';
    this.isMarkerGone = false;
    return space;
  }
}

/** How long the marker is that begins a text; 0 when none does, undefined while that cannot be told. */
function markerLength(text: string): number | undefined {
  const beginning = BEGINNING.exec(text)![0];
  let depth = 0;
  for (let i = 0; i < beginning.length; i++) {
    if (OPENING_BRACKETS.includes(beginning[i]!)) depth += 1;
    else if (CLOSING_BRACKETS.includes(beginning[i]!)) depth -= 1;
    if (depth === 0) return /\d/.test(beginning.slice(0, i)) ? i + 1 : 0;
  }
  if (beginning.length < text.length) return 0;
  // Its bracket goes: what is left of markers in it could be read as one.
  return text.length === MOST_CHARACTERS ? 1 : undefined;
}

/** An answer as it reads without its markers. */
export const withoutMarkers = (answer: string): string => answer.replace(WITH_SPACES, '');

/** A text of a document in which nothing reads as a marker of ours: its own note `[7]` becomes `(7)`. */
export const withRoundNotes = (text: string): string => text.replace(NOTE, '($1)');
