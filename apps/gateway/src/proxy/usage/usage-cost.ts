import { type Charge, quantityIn, UNIT_DIGITS } from '@inference/metering';
import { JsonFault, readJsonInSlices, UniqueNames } from '@inference/http';
import { parseExact, PICO_DIGITS, picosToDecimal, scaledToDecimal } from '@inference/money';
import { bytesOf, eventOf, type SseEvent } from '@inference/sse';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const SPACE = 0x20;

const SHORT_BYTES = 32;
/** Bytes beside texts, and texts, behind a usage that are looked at in one turn. Chosen: as many take some milliseconds. */
const MOST_STEPS = 200_000;
const ONLY_USAGE = { names: new UniqueNames({ usage: {} }), hasOnlyMembers: true, hasManyValues: true };
const USAGE = Buffer.from('usage');

/** What the answer tells of its price: the members `cost` and `cost_details` of a usage object. */
function costMembers({ costPicos, lines }: Charge): string {
  const details = lines.map(({ meter, unit, quantity, ratePicos, costPicos: linePicos }) => {
    const price = scaledToDecimal(ratePicos, PICO_DIGITS - UNIT_DIGITS[unit]);
    const amount = quantityIn(unit, quantity);
    return `{"meter":"${meter}","quantity":${amount},"unit":"${unit}","price":${price},"cost":${picosToDecimal(linePicos)}}`;
  });
  return `"cost":${picosToDecimal(costPicos)},"cost_details":[${details.join(',')}]`;
}

/** A range of bytes. */
interface Place {
  start: number;
  end: number;
}

/** The text that replaces it. */
interface Splice extends Place {
  text: string;
}

interface UsageWithCost {
  cost?: unknown;
  cost_details?: unknown;
}

/**
 * Sets `cost` and `cost_details` in the usage object of an answer, without what the upstream wrote there: what it charges the operator is
 * not told to customers. Every byte outside of that object stays. An answer whose top level has no usage object is returned as it is.
 * @param json a valid JSON object
 * @param charge null: the answer tells no price
 */
export function withCost(json: Buffer, charge: Charge | null): Buffer {
  return spliced(json, findUsage(json), charge);
}

/** As `withCost`, for an answer of any length: one that ends with a long list, behind its usage, is read in slices. */
export async function answerWithCost(json: Buffer, charge: Charge | null): Promise<Buffer> {
  const found = findUsage(json, MOST_STEPS);
  return spliced(json, found === 'not near the end' ? await findUsageInSlices(json) : found, charge);
}

/** As `withCost`, for what was read of an answer. The price keeps its digits if `stringifyExact` writes it. */
export function readWithCost<Content extends { usage?: unknown }>(
  answer: Content,
  charge: Charge | null,
): Content {
  const { usage } = answer;
  if (usage === null || typeof usage !== 'object' || Array.isArray(usage)) return answer;
  const { cost: _cost, cost_details: _details, ...kept } = usage as UsageWithCost;
  const price = charge && (parseExact(`{${costMembers(charge)}}`) as UsageWithCost);
  return { ...answer, usage: { ...kept, ...price } };
}

function spliced(json: Buffer, usage: Place | null, charge: Charge | null): Buffer {
  const splice = usage && spliceOf(json, usage, charge);
  if (!splice) return json;
  const { start, end, text } = splice;
  return Buffer.concat([json.subarray(0, start), Buffer.from(text, 'latin1'), json.subarray(end)]);
}

const ONE_LINE = /^data: ?\{[^\n]*\}\n\n$/;
const DATA = 'data:';

/** As `withCost`, of the event of a stream whose data is a JSON object. */
export function eventWithCost(event: SseEvent, charge: Charge | null): SseEvent {
  if (!ONE_LINE.test(event)) return unusualWithCost(event, charge);
  const json = bytesOf(event);
  const usage = findUsage(json);
  const splice = usage && spliceOf(json, usage, charge);
  return splice ? event.slice(0, splice.start) + splice.text + event.slice(splice.end) : event;
}

/** Of an event with other fields than its data, or with JSON over several lines. */
function unusualWithCost(event: SseEvent, charge: Charge | null): SseEvent {
  const lines = event.split('\n');
  const first = lines.findIndex((line) => line.startsWith(DATA));
  const data = lines.filter((line) => line.startsWith(DATA));
  const from = data[0]?.indexOf('{') ?? -1;
  const isTogether = lines[first + data.length - 1]?.startsWith(DATA) ?? false;
  if (from === -1 || !isTogether) return event;
  // A line ends between two tokens of the JSON, so the names of the fields are no part of a text.
  const texts = data.map((line, number) => line.slice(number === 0 ? from : DATA.length));
  const priced = withCost(bytesOf(texts.join('\n')), charge)
    .toString('latin1')
    .split('\n');
  const written = priced.map((text, number) => (number === 0 ? data[0]!.slice(0, from) : DATA) + text);
  return [...lines.slice(0, first), ...written, ...lines.slice(first + data.length)].join('\n');
}

/** Null if nothing changes. The text is in the characters of an event: one for each byte. */
function spliceOf(json: Buffer, usage: Place, charge: Charge | null): Splice | null {
  if (json[usage.start] !== OPEN_BRACE) return null;
  const inside = json.toString('latin1', usage.start, usage.end);
  // Names that only begin so are found too; what is written anew is the same then.
  if (inside.includes('"cost'))
    return { ...usage, text: writtenAnew(json.subarray(usage.start, usage.end), charge) };
  if (!charge) return null;
  let at = usage.end - 1;
  while (isSpace(json[at - 1]!)) at--;
  const isEmpty = at - 1 === usage.start;
  if (isEmpty) at = usage.start + 1;
  return { start: at, end: at, text: (isEmpty ? '' : ',') + costMembers(charge) };
}

/** The usage object without the upstream's cost. */
export function writtenAnew(usage: Buffer, charge: Charge | null): SseEvent {
  const {
    cost: _cost,
    cost_details: _details,
    ...kept
  } = JSON.parse(usage.toString('utf8')) as UsageWithCost;
  const text = eventOf(JSON.stringify(kept));
  if (!charge) return text;
  return `${text.slice(0, -1)}${text.length > '{}'.length ? ',' : ''}${costMembers(charge)}}`;
}

/**
 * Where the value of the last `usage` at the top level of a JSON object is: of equal names, the last one counts for almost every reader.
 * Searched backwards, because answers end with their usage or soon after it, so that a long text before it is not read.
 */
function findUsage(json: Buffer): Place | null;
function findUsage(json: Buffer, mostSteps: number): Place | null | 'not near the end';
function findUsage(json: Buffer, mostSteps = Infinity): Place | null | 'not near the end' {
  let steps = 0;
  let depth = 0;
  let colon = -1;
  let boundary = json.lastIndexOf(CLOSE_BRACE);
  for (let at = boundary - 1; at > 0; at--) {
    if (++steps > mostSteps) return 'not near the end';
    const byte = json[at];
    if (byte === QUOTE) {
      const open = openingQuote(json, at);
      if (depth === 0 && colon !== -1 && isUsage(json, open + 1, at))
        return valueBetween(json, colon + 1, boundary);
      at = open;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth++;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth--;
    else if (depth === 0 && byte === COLON) colon = at;
    else if (depth === 0 && byte === COMMA) {
      boundary = at;
      colon = -1;
    }
  }
  return null;
}

async function findUsageInSlices(json: Buffer): Promise<Place | null> {
  try {
    const { members } = await readJsonInSlices(json, ONLY_USAGE);
    return members[0] ?? null;
  } catch (error) {
    // Two usages, or what only JSON.parse takes.
    if (error instanceof JsonFault) return findUsage(json);
    throw error;
  }
}

/** The quote that opens the string that another one closes. */
function openingQuote(json: Buffer, closing: number): number {
  for (let at = quoteBefore(json, closing); at > 0; at = quoteBefore(json, at)) {
    let escapes = at;
    while (json[escapes - 1] === BACKSLASH) escapes--;
    if ((at - escapes) % 2 === 0) return at;
    at = escapes;
  }
  return 0;
}

/** -1 if there is none. A native search costs as much as a loop over some bytes, and an image has millions. */
function quoteBefore(json: Buffer, end: number): number {
  const near = Math.max(end - SHORT_BYTES, 0);
  for (let at = end - 1; at >= near; at--) if (json[at] === QUOTE) return at;
  return near === 0 ? -1 : json.lastIndexOf(QUOTE, near - 1);
}

/** Whether the text of a name is `usage`, also with escapes. */
function isUsage(json: Buffer, start: number, end: number): boolean {
  if (end - start === USAGE.length) return USAGE.compare(json, start, end) === 0;
  const isEscaped = end - start > USAGE.length && json.subarray(start, end).includes(BACKSLASH);
  return isEscaped && JSON.parse(json.toString('utf8', start - 1, end + 1)) === 'usage';
}

const isSpace = (byte: number) => byte === SPACE || (byte >= 0x09 && byte <= 0x0d);

/** The value without the white space around it. */
function valueBetween(json: Buffer, from: number, to: number): Place {
  let start = from;
  let end = to;
  while (isSpace(json[start]!)) start++;
  while (isSpace(json[end - 1]!)) end--;
  return { start, end };
}
