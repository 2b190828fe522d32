import { type Charge, UNIT_DIGITS } from '@inference/metering';
import { PICO_DIGITS, picosToDecimal, scaledToDecimal } from '@inference/money';
import { bytesOf, type SseEvent } from '../streaming/sse-event-reader';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const SPACE = 0x20;

/** Some upstreams report what they charge the operator; customers never see it. */
const COST_NAMES = new Set(['cost', 'cost_details']);

const DATA = 'data:';
const LONE_CR = /\r(?!\n)/;

const NO_COMMA = -1;

/** A member of an object in the bytes of a JSON text. */
interface Member {
  name: string;
  /** Of the name. */
  start: number;
  valueStart: number;
  /** Behind the value. */
  end: number;
  /** The comma before it; `NO_COMMA` for the first member. */
  before: number;
}

/** What the answer tells of its price: the members `cost` and `cost_details` of a usage object. */
function costMembers({ costPicos, lines }: Charge): string {
  const details = lines.map(({ meter, unit, quantity, ratePicos, costPicos: linePicos }) => {
    const digits = UNIT_DIGITS[unit];
    const price = scaledToDecimal(ratePicos, PICO_DIGITS - digits);
    const amount = scaledToDecimal(quantity, digits);
    return `{"meter":"${meter}","quantity":${amount},"unit":"${unit}","price":${price},"cost":${picosToDecimal(linePicos)}}`;
  });
  return `"cost":${picosToDecimal(costPicos)},"cost_details":[${details.join(',')}]`;
}

/**
 * Sets `cost` and `cost_details` in the usage object of an answer, without what the upstream wrote there. Every byte outside of that object
 * stays. An answer whose top level has no usage object is returned as it is.
 * @param json a valid JSON object
 * @param charge null: the answer tells no price
 */
export function withCost(json: Buffer, charge: Charge | null): Buffer {
  const usage = lastMember(json, 'usage');
  if (!usage || json[usage.valueStart] !== OPEN_BRACE) return json;
  const close = usage.end - 1;
  const kept: Member[] = [];
  let hasCost = false;
  for (let member = memberBefore(json, close); member; member = memberBefore(json, member.before)) {
    if (COST_NAMES.has(member.name)) hasCost = true;
    else kept.unshift(member);
  }
  const added = charge ? costMembers(charge) : '';
  if (hasCost) {
    const parts = kept.map(({ start, end }) => json.subarray(start, end).toString('latin1'));
    const inside = [...parts, ...(charge ? [added] : [])].join(',');
    return spliced(json, usage.valueStart + 1, close, inside);
  }
  if (!charge) return json;
  const at = kept.at(-1)?.end ?? usage.valueStart + 1;
  return spliced(json, at, at, kept.length > 0 ? `,${added}` : added);
}

/** As `withCost`, of the event of a stream whose data is a JSON object. */
export function eventWithCost(event: SseEvent, charge: Charge | null): SseEvent {
  const lines = event.split('\n');
  const first = lines.findIndex((line) => line.startsWith(DATA));
  const data = lines.filter((line) => line.startsWith(DATA));
  const from = data[0]?.indexOf('{') ?? -1;
  const isUsual = lines[first + data.length - 1]?.startsWith(DATA) && !LONE_CR.test(event);
  if (from === -1 || !isUsual) return event;
  // A line ends between two tokens of the JSON, so the names of the fields are no part of a text.
  const texts = data.map((line, number) => line.slice(number === 0 ? from : DATA.length));
  const priced = withCost(bytesOf(texts.join('\n')), charge)
    .toString('latin1')
    .split('\n');
  const written = priced.map((text, number) => (number === 0 ? data[0]!.slice(0, from) : DATA) + text);
  return [...lines.slice(0, first), ...written, ...lines.slice(first + data.length)].join('\n');
}

/** Replaces the bytes of a range by ASCII text or bytes read as latin1. */
function spliced(json: Buffer, start: number, end: number, text: string): Buffer {
  const length = start + text.length + json.length - end;
  const result = Buffer.allocUnsafe(length);
  json.copy(result, 0, 0, start);
  result.write(text, start, 'latin1');
  json.copy(result, start + text.length, end);
  return result;
}

/** The last member of this name in an object: of equal names, the one that counts for almost every reader. */
function lastMember(json: Buffer, name: string): Member | null {
  // Answers end with their usage or soon after it, so that a long text before it is not read.
  let member = memberBefore(json, json.lastIndexOf(CLOSE_BRACE));
  while (member && member.name !== name) member = memberBefore(json, member.before);
  return member;
}

/** The member of an object that ends before a comma or the brace that closes it. Null before the first one. */
function memberBefore(json: Buffer, boundary: number): Member | null {
  let depth = 0;
  let colon = -1;
  let name: Pick<Member, 'name' | 'start'> | null = null;
  for (let at = boundary - 1; at >= 0; at--) {
    const byte = json[at];
    if (byte === QUOTE) {
      const open = openingQuote(json, at);
      if (depth === 0 && colon !== -1) name = { name: nameIn(json, open, at), start: open };
      at = open;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth++;
    else if (depth === 0 && (byte === COMMA || byte === OPEN_BRACE))
      return (
        name && {
          ...name,
          ...valueBetween(json, colon + 1, boundary),
          before: byte === COMMA ? at : NO_COMMA,
        }
      );
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth--;
    else if (depth === 0 && byte === COLON) colon = at;
  }
  return null;
}

/** The quote that opens the string that another one closes. */
function openingQuote(json: Buffer, closing: number): number {
  for (let at = closing - 1; at >= 0; at--) {
    if (json[at] !== QUOTE) continue;
    let escapes = at;
    while (json[escapes - 1] === BACKSLASH) escapes--;
    if ((at - escapes) % 2 === 0) return at;
    at = escapes;
  }
  return -1;
}

function nameIn(json: Buffer, open: number, close: number): string {
  const text = json.toString('latin1', open + 1, close);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

const isSpace = (byte: number | undefined) =>
  byte === SPACE || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);

/** The value without the white space around it. */
function valueBetween(json: Buffer, from: number, to: number): Pick<Member, 'valueStart' | 'end'> {
  let valueStart = from;
  let end = to;
  while (isSpace(json[valueStart])) valueStart++;
  while (isSpace(json[end - 1])) end--;
  return { valueStart, end };
}
