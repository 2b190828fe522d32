import { atOnce, type SteppedWork, workInSlices } from '@inference/http';
import { bytesOf, dataOf, eventOf, type SseEvent } from '@inference/sse';
import { writtenAnew } from './usage-cost';

type Fields = Record<string, unknown>;

const COST_NAMES = ['cost', 'cost_details'];

const tellsCost = (value: unknown): boolean => {
  const { usage } = (value ?? {}) as Fields;
  return usage !== null && typeof usage === 'object' && COST_NAMES.some((name) => name in usage);
};

/**
 * Whether an answer or a chunk tells what the upstream charges the operator in a usage that is not at its top: that of a choice
 * (Moonshot) or in `x_groq`. Customers are told the price of the gateway only.
 */
export function hasForeignCost(answer: object): boolean {
  const { choices, x_groq: groq } = answer as Fields;
  return (Array.isArray(choices) && choices.some(tellsCost)) || tellsCost(groq);
}

/** A JSON object without such costs. Every byte outside of these usages stays. A long one is read in slices. */
export function withoutForeignCost(json: Buffer): Promise<Buffer> {
  return workInSlices(json.length, bytesWithoutCost(json), () => undefined);
}

function* bytesWithoutCost(json: Buffer): SteppedWork<Buffer> {
  return Buffer.from(yield* cut(json.toString('latin1')), 'latin1');
}

const DATA = 'data:';

/** As `withoutForeignCost`, of an event. Its data becomes one line. */
export function eventWithoutForeignCost(event: SseEvent): SseEvent {
  const lines = event.split('\n');
  const isOneLine = lines.filter((line) => line.startsWith('data')).length === 1;
  if (isOneLine) return lines.map((line) => (line.startsWith(DATA) ? atOnce(cut(line)) : line)).join('\n');
  const others = lines.filter((line) => !line.startsWith('data'));
  const data = atOnce(cut(eventOf(dataOf(event).replaceAll('\n', ' '))));
  return [`${DATA} ${data}`, ...others].join('\n');
}

const TOKEN = /["{}[\],]/g;
/** Between two steps. Measured: a fraction of a millisecond. */
const STEP_TOKENS = 2_000;
const PLACE = /^(?:choices,\d+|x_groq),usage$/;

/** An object or list that is open while a text is read. */
interface Open {
  isList: boolean;
  /** Name of the member, or number of the entry, that is being read. */
  key: string;
  isKeyNext: boolean;
}

/** Writes those usages of a text with a JSON object anew; each character is one byte. */
function* cut(text: string): SteppedWork<string> {
  const open: Open[] = [];
  let usageStart = -1;
  let copied = 0;
  let kept = '';
  let tokens = 0;
  const start = text.indexOf('{');
  let next = start === -1 ? text.length : start;
  for (;;) {
    TOKEN.lastIndex = next;
    const match = TOKEN.exec(text);
    if (!match) break;
    next = match[0] === '"' ? stringEnd(text, match.index) : TOKEN.lastIndex;
    const token = text.slice(match.index, next);
    const top = open.at(-1);
    if (token === '{' || token === '[') {
      if (token === '{' && PLACE.test(open.map(({ key }) => key).join())) usageStart = match.index;
      open.push({ isList: token === '[', key: token === '[' ? '0' : '', isKeyNext: token === '{' });
    } else if (token === '}' || token === ']') {
      open.pop();
      if (token === '}' && usageStart !== -1 && PLACE.test(open.map(({ key }) => key).join())) {
        const end = match.index + 1;
        kept += text.slice(copied, usageStart) + writtenAnew(bytesOf(text.slice(usageStart, end)), null);
        copied = end;
        usageStart = -1;
      }
      if (open.length === 0) break;
    } else if (token === ',') {
      if (top!.isList) top!.key = String(Number(top!.key) + 1);
      else top!.isKeyNext = true;
    } else if (top?.isKeyNext) {
      top.key = JSON.parse(token) as string;
      top.isKeyNext = false;
    }
    // Other works that are done in slices use the expression meanwhile.
    if (++tokens % STEP_TOKENS === 0) yield;
  }
  return kept + text.slice(copied);
}

/** The index behind the string that starts at a quote. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (text[escapes - 1] === '\\') escapes--;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}
