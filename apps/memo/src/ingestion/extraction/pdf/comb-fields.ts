import { type PageGlyph } from './page-glyphs';

/** A glyph and the distance to it from the end of the one before it. */
interface CombStep {
  glyph: PageGlyph;
  gap: number;
  isNewLine: boolean;
  /** The part of the gap that is no space. */
  tracking: number;
}

/** Lengths are in units of the font size. Boxes for single letters are about five millimetres wide; letters of text are closer, columns wider. */
const MIN_PITCH = 0.8;
const MAX_PITCH = 2;
/** Rounding of coordinates. In text the centres of letters of different widths differ by more. */
const TOLERANCE = 0.04;
/** Fewer letters may be at even distances by accident. */
const MIN_BOXES = 4;
/** Letters of one width are at even distances in any text. */
const MIN_WIDTH_DIFFERENCE = 0.15;
/** Groups of boxes, such as day, month and year, are not further apart. */
const MAX_GROUP_DISTANCE = 4;
const MIN_GAP = 0.1;
/** What is left of the gap between two groups: a space. */
const SPACE = 0.3;
const SINGLE = /^[\p{L}\p{N}\p{P}\p{S}]$/u;

/** Where letters stand in their boxes. */
const ANCHORS = [(glyph: PageGlyph): number => glyph.width / 2, (): number => 0];

/** Finds letters that stand in boxes of one width (ISO 32000-1, 12.7.4.3, Comb), which are one value. */
export function joinCombs(steps: CombStep[]): void {
  for (const anchor of ANCHORS) {
    const distances = steps.map((step, at) => distanceTo(steps[at - 1], step, anchor));
    for (let at = 1; at < steps.length; at++) {
      const end = endOfRun(distances, at);
      if (end - at + 1 < MIN_BOXES) continue;
      if (isComb(steps.slice(at - 1, end))) joinGroups(steps, distances, at, end);
      at = end - 1;
    }
  }
}

/** The distance between the boxes of two letters, or 0 if they are in no boxes. */
function distanceTo(
  before: CombStep | undefined,
  { glyph, gap, isNewLine }: CombStep,
  anchor: (glyph: PageGlyph) => number,
): number {
  if (!before || isNewLine || glyph.isAfterSpace || gap < MIN_GAP * glyph.size) return 0;
  if (!SINGLE.test(glyph.text) || !SINGLE.test(before.glyph.text)) return 0;
  return (gap + before.glyph.advance - anchor(before.glyph) + anchor(glyph)) / glyph.size;
}

const isPitch = (distance: number): boolean => distance >= MIN_PITCH && distance <= MAX_PITCH;
const isSame = (one: number, other: number): boolean => Math.abs(one - other) <= TOLERANCE;

/** Behind the last step that is one or two boxes from the one before it, if the first is one box. */
function endOfRun(distances: number[], first: number): number {
  const pitch = distances[first]!;
  if (!isPitch(pitch)) return first;
  let end = first + 1;
  while (end < distances.length && (isSame(distances[end]!, pitch) || isSame(distances[end]!, 2 * pitch)))
    end += 1;
  return end;
}

function isComb(steps: CombStep[]): boolean {
  const widths = steps.map(({ glyph }) => glyph.width / glyph.size);
  const isOfDigits = steps.every(({ glyph }) => /^\p{Nd}$/u.test(glyph.text));
  return isOfDigits || Math.max(...widths) - Math.min(...widths) >= MIN_WIDTH_DIFFERENCE;
}

/** Joins the letters of the boxes from one step to another, and of the groups of such boxes before and behind them. */
function joinGroups(steps: CombStep[], distances: number[], from: number, to: number): void {
  const pitch = distances[from]!;
  const isAt = (at: number, boxes: number): boolean => isSame(distances[at] ?? 0, boxes * pitch);
  /** Whether the step leads to a letter of the group, or over an empty box or some space to a group, which goes on there. */
  const belongs = (at: number, further: number): boolean => {
    const distance = distances[at] ?? 0;
    const isApart = distance > pitch && distance <= MAX_GROUP_DISTANCE;
    return isAt(at, 1) || isAt(at, 2) || (isApart && isAt(further, 1));
  };
  let [first, end] = [from, to];
  while (first > 1 && belongs(first - 1, first - 2)) first -= 1;
  while (end < steps.length && belongs(end, end + 1)) end += 1;
  for (let at = first; at < end; at++) {
    const { gap, glyph } = steps[at]!;
    steps[at]!.tracking = isAt(at, 1) ? gap : gap - SPACE * glyph.size;
  }
}
