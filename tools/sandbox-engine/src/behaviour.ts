import { ApiError } from './http/errors';

/** A failure instead of an answer. `drop` closes the connection before the first byte. */
export type Instead = { kind: 'status'; status: number } | { kind: 'hang' } | { kind: 'drop' };

/** A failure of an answer after `afterTokens` of its tokens. */
export interface Midway {
  /**
   * drop: close the connection; error: an error event; end: stop without `[DONE]`; hang: send nothing more;
   * malformed: an event that is not JSON
   */
  kind: 'drop' | 'error' | 'end' | 'hang' | 'malformed';
  afterTokens: number;
}

/** The injected behaviour of one request. */
export interface Behaviour {
  /** The length of each choice in tokens, before the client's limit. Undefined: the default length. */
  tokens?: number;
  /** The delay before every token. Undefined: all tokens are written at once. 0: each token is a separate write. */
  delayMs?: number;
  /** The delay before the first token, instead of `delayMs`. */
  firstDelayMs?: number;
  usage: 'true' | 'none' | 'zero';
  retryAfterSeconds: number;
  instead?: Instead;
  midway?: Midway;
}

/** The behaviour of a request without injected faults. */
export const NORMAL: Readonly<Behaviour> = Object.freeze({ usage: 'true', retryAfterSeconds: 1 });

interface Item {
  /** The bounds of the number. Undefined: the item has no number. */
  range?: { min: number; max: number; default?: number };
  apply(behaviour: Behaviour, value: number): void;
}

const MILLISECONDS = { min: 0, max: 600_000 };
const MIDWAY_TOKENS = { min: 0, max: 100_000, default: 3 };

function midway(kind: Midway['kind']): Item {
  return { range: MIDWAY_TOKENS, apply: (b, afterTokens) => (b.midway = { kind, afterTokens }) };
}

const ITEMS = new Map<string, Item>([
  ['slow', { apply: (b) => Object.assign(b, { firstDelayMs: 500, delayMs: 50 }) }],
  ['delay', { range: MILLISECONDS, apply: (b, ms) => (b.delayMs = ms) }],
  ['first-delay', { range: MILLISECONDS, apply: (b, ms) => (b.firstDelayMs = ms) }],
  ['tokens', { range: { min: 0, max: 100_000 }, apply: (b, count) => (b.tokens = count) }],
  ['no-usage', { apply: (b) => (b.usage = 'none') }],
  ['zero-usage', { apply: (b) => (b.usage = 'zero') }],
  [
    'status',
    { range: { min: 400, max: 599 }, apply: (b, status) => (b.instead = { kind: 'status', status }) },
  ],
  ['retry-after', { range: { min: 0, max: 86_400 }, apply: (b, seconds) => (b.retryAfterSeconds = seconds) }],
  ['hang', { apply: (b) => (b.instead = { kind: 'hang' }) }],
  ['fail-before', { apply: (b) => (b.instead = { kind: 'drop' }) }],
  ['fail-mid', midway('drop')],
  ['error-mid', midway('error')],
  ['end-mid', midway('end')],
  ['hang-mid', midway('hang')],
  ['malformed', midway('malformed')],
]);

const ITEM_FORM = /^([a-z]+(?:-[a-z]+)*)(?:\s*[=-]\s*(\d{1,9}))?$/;

/**
 * Returns `start` with a list of items applied, each `name`, `name=number` or `name-number`. A later item overrides an
 * earlier one. Throws a 400 that names the first invalid item.
 */
export function withBehaviour(start: Readonly<Behaviour>, items: readonly string[]): Behaviour {
  const behaviour: Behaviour = { ...start };
  for (const raw of items) {
    const text = raw.trim();
    if (text !== '') applyItem(behaviour, text);
  }
  return behaviour;
}

function applyItem(behaviour: Behaviour, text: string): void {
  const [, name = '', digits] = ITEM_FORM.exec(text) ?? [];
  const item = ITEMS.get(name);
  if (item === undefined) throw refusal(text, `known are: ${[...ITEMS.keys()].join(', ')}`);
  if (item.range === undefined) {
    if (digits !== undefined) throw refusal(text, `'${name}' takes no number`);
    item.apply(behaviour, 0);
    return;
  }
  const value = digits === undefined ? item.range.default : Number(digits);
  if (value === undefined || value < item.range.min || value > item.range.max) {
    throw refusal(text, `'${name}' takes a number from ${item.range.min} to ${item.range.max}`);
  }
  item.apply(behaviour, value);
}

function refusal(text: string, reason: string): ApiError {
  return new ApiError(400, `Unknown sandbox behaviour '${text}': ${reason}.`, 'x-sandbox', 'invalid_value');
}
