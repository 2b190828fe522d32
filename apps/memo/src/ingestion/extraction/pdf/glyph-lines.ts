import { joinCombs } from './comb-fields';
import { type PageGlyph } from './page-glyphs';
import { type PdfItem } from './page-line';

/** Distances are in units of the font size. */

/** Glyphs that are this close show one letter, in bold or with a shadow. It is half the width of the narrowest letters. */
const SAME_PLACE = 0.12;
/** Equal words that are this close overlap, so one is the shadow of the other. */
const SAME_PLACE_OF_WORDS = 0.4;
const MIN_WORD_LETTERS = 4;
/** Part of its width by which a letter may be moved to stay the same letter. */
const SAME_LETTER_WIDTH = 0.6;

/** A wider gap separates words. Spaces are a quarter, kerning and rounding a twentieth. */
const MIN_SPACE = 0.102;
/** A wider gap may separate cells. */
const MAX_SPACE = 0.6;
/** Text that starts this much before the end of the text before it is drawn in another order. */
const MAX_OVERLAP = 0.2;
/** Half of the distance of lines: text drawn backwards above or below this is another line. */
const MAX_SHIFT_BACKWARDS = 0.5;
const MAX_SHIFT_IN_PART = 0.25;
const ANGLE_TOLERANCE = 0.01;

/** Wider gaps are not between the letters of a word. */
const MAX_LETTER_GAP = 1.5;
/** Fewer letters with gaps may be single letters. */
const MIN_SPACED_LETTERS = 4;
/** By how much gaps between letters differ, and by how much less than a space between words. */
const LETTER_GAP_TOLERANCE = 0.15;
/** Share of the gaps that are even in letter-spaced text. The others are between words. */
const MIN_EVEN_SHARE = 0.6;

/** Returns the glyphs that show other letters than the ones before them: what is painted twice at one place is text once. */
export function withoutRepetitions(glyphs: PageGlyph[]): PageGlyph[] {
  const runs = repeatedRuns(glyphs);
  const cells = new Map<string, PageGlyph[]>();
  return glyphs.filter((glyph) => {
    if (runs.has(glyph.run)) return false;
    const reach = SAME_PLACE * glyph.size;
    const [column, row] = [Math.floor(glyph.x / reach), Math.floor(glyph.y / reach)];
    const scale = Math.round(Math.log2(glyph.size) * 4);
    const keyAt = (x: number, y: number): string => `${x} ${y} ${scale} ${glyph.text}`;
    for (let x = column - 1; x <= column + 1; x++)
      for (let y = row - 1; y <= row + 1; y++)
        if (cells.get(keyAt(x, y))?.some((other) => isSameLetter(glyph, other))) return false;
    const key = keyAt(column, row);
    const there = cells.get(key);
    if (there) there.push(glyph);
    else cells.set(key, [glyph]);
    return true;
  });
}

function isSameLetter(one: PageGlyph, other: PageGlyph): boolean {
  const reach = SAME_PLACE * one.size;
  const along = Math.abs((one.x - other.x) * Math.cos(one.angle) + (one.y - other.y) * Math.sin(one.angle));
  const across = Math.abs((one.x - other.x) * Math.sin(one.angle) - (one.y - other.y) * Math.cos(one.angle));
  return along <= Math.min(reach, SAME_LETTER_WIDTH * one.width) && across <= reach;
}

/** The operators that show the same text as an earlier one, so close to it that both cannot be read. */
function repeatedRuns(glyphs: PageGlyph[]): Set<number> {
  const texts = new Map<number, { first: PageGlyph; text: string }>();
  for (const glyph of glyphs) {
    const run = texts.get(glyph.run);
    if (run) run.text += glyph.text;
    else texts.set(glyph.run, { first: glyph, text: glyph.text });
  }
  const earlier = new Map<string, PageGlyph[]>();
  const repeated = new Set<number>();
  for (const [run, { first, text }] of texts) {
    if (text.length < MIN_WORD_LETTERS) continue;
    const reach = SAME_PLACE_OF_WORDS * first.size;
    // A table repeats a word often; the last ones are the near ones.
    const same = earlier.get(text)?.slice(-MAX_COMPARED_RUNS) ?? [];
    if (same.some(({ x, y }) => Math.abs(x - first.x) < reach && Math.abs(y - first.y) < reach))
      repeated.add(run);
    else earlier.set(text, [...same, first]);
  }
  return repeated;
}

const MAX_COMPARED_RUNS = 200;

interface Step {
  glyph: PageGlyph;
  /** From the end of the glyph before it, along the writing direction. */
  gap: number;
  /** Across the writing direction. */
  shift: number;
  isNewLine: boolean;
  /** The gap between the letters of letter-spaced text. */
  tracking: number;
}

/** Joins glyphs to texts on the same baseline, in the order in which the page shows them. */
export function itemsOf(glyphs: PageGlyph[]): PdfItem[] {
  const items: PdfItem[] = [];
  let item: PdfItem | undefined;
  for (const { glyph, gap, shift, isNewLine, tracking } of stepsOf(glyphs)) {
    const { size } = glyph;
    const space = (gap - tracking) / size;
    if (isNewLine && item) {
      item.hasEOL = true;
      item = undefined;
    }
    const isBackwards = gap < -MAX_OVERLAP * size;
    const isApart = space > MIN_SPACE || (glyph.isAfterSpace && !isBackwards);
    const continues =
      item !== undefined &&
      !isBackwards &&
      space <= MAX_SPACE &&
      glyph.part === item.part &&
      Math.abs(shift) <= MAX_SHIFT_IN_PART * size;
    if (item && !isNewLine && isApart) {
      if (continues) item.str += ' ';
      else items.push({ ...item, str: ' ', hasEOL: false });
    }
    if (!continues || !item) items.push((item = itemAt(glyph)));
    else item.width += gap;
    item.str += glyph.text;
    item.width += glyph.advance;
  }
  if (item) item.hasEOL = true;
  return items;
}

function itemAt({ x, y, angle, size, part }: PageGlyph): PdfItem {
  const [cos, sin] = [Math.cos(angle) * size, Math.sin(angle) * size];
  return { str: '', width: 0, height: size, transform: [cos, sin, -sin, cos, x, y], hasEOL: false, part };
}

function stepsOf(glyphs: PageGlyph[]): Step[] {
  let before: PageGlyph | undefined;
  const steps = glyphs.map((glyph): Step => {
    const step = before ? stepFrom(before, glyph) : { glyph, gap: 0, shift: 0, isNewLine: true, tracking: 0 };
    // A mark above a letter ends where the letter ends.
    before = glyph.advance === 0 && before && !step.isNewLine ? before : glyph;
    return step;
  });
  let start = 0;
  for (let at = 1; at <= steps.length; at++) {
    const step = steps[at];
    if (step && !step.isNewLine && Math.abs(step.gap) <= MAX_LETTER_GAP * step.glyph.size) continue;
    setTracking(steps.slice(start, at));
    start = at;
  }
  joinCombs(steps);
  return steps;
}

function stepFrom(before: PageGlyph, glyph: PageGlyph): Step {
  const [cos, sin] = [Math.cos(glyph.angle), Math.sin(glyph.angle)];
  const [dx, dy] = [glyph.x - before.x, glyph.y - before.y];
  const gap =
    dx * cos +
    dy * sin -
    (glyph.advance === 0 ? Math.min(before.advance, dx * cos + dy * sin) : before.advance);
  const shift = dx * sin - dy * cos + glyph.rise - before.rise;
  const size = Math.max(before.size, glyph.size);
  const isTurned = Math.abs(before.angle - glyph.angle) > ANGLE_TOLERANCE;
  const isBackwards = gap < -MAX_OVERLAP * glyph.size;
  const isNewLine = isTurned || Math.abs(shift) > (isBackwards ? MAX_SHIFT_BACKWARDS * before.size : size);
  return { glyph, gap, shift, isNewLine, tracking: 0 };
}

/**
 * Finds words whose letters have positions of their own, with even gaps that are as wide as spaces. Single letters between space
 * characters are no such word.
 */
function setTracking(steps: Step[]): void {
  if (steps.length < MIN_SPACED_LETTERS) return;
  const gaps = steps
    .slice(1)
    .filter(({ glyph }) => !glyph.isAfterSpace)
    .map(({ gap, glyph }) => gap / glyph.size);
  if (gaps.length < MIN_SPACED_LETTERS - 1) return;
  const sorted = gaps.toSorted((one, other) => one - other);
  const smallest = sorted[0]!;
  const even = sorted.filter((gap) => gap <= smallest + LETTER_GAP_TOLERANCE);
  if (smallest <= MIN_SPACE || even.length < sorted.length * MIN_EVEN_SHARE) return;
  const tracking = even[even.length >> 1]!;
  for (const step of steps.slice(1)) step.tracking = tracking * step.glyph.size;
}
