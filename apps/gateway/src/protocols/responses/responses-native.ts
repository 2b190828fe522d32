import { EVERY, readJson, UniqueNames } from '@inference/http';
import { bytesOf, eventOf, type SseEvent } from '@inference/sse';
import { type Charge } from '@inference/metering';
import { type NativeEvent, type NativeReader, type StreamError } from '../../proxy/native-call';
import { textsIn } from '../../proxy/usage/texts-in';
import { withCost } from '../../proxy/usage/usage-cost';
import { type Fields } from '../fields';
import { type Protocol } from '../protocol';
import { responsesForChat } from './responses-for-chat';

/** What names the items of an answer, and thoughts that only their maker can read. */
const LABELS = new Set(['type', 'id', 'call_id', 'status', 'role', 'encrypted_content']);
const UNREAD: NativeEvent = {};
/** At any depth. */
const ALL = { [EVERY]: true } as const;
const RESPONSE = new UniqueNames({ response: {} });
const DATA = /^data: ?(\{[^\n]*\})$/m;

const reader: NativeReader = {
  isAnswer: (content) => {
    const { object, output, status } = content as Fields;
    return object === 'response' && Array.isArray(output) && status !== 'failed';
  },
  isRefusal: (content) => {
    const { error } = content as Fields;
    return error !== null && typeof error === 'object';
  },
  textOf: (content) => textsIn((content as Fields).output, LABELS).join(''),
  finishReasonOf: (content) => endOf(content as Fields),
  eventOf: (data) => {
    const { type, delta, response, sequence_number: sequenceNumber } = data as Fields & { response?: Fields };
    if (typeof type !== 'string') return UNREAD;
    if (type.endsWith('.delta'))
      return { sequenceNumber, text: typeof delta === 'string' ? delta : undefined };
    if (type === 'response.created') return { sequenceNumber, head: headOf(response ?? {}) };
    // The error of an answer that cannot be billed stands in place of its last event.
    if (type === 'response.completed' || type === 'response.incomplete')
      return { report: response, finishReason: endOf(response ?? {}), isLast: true };
    if (type === 'response.failed') return { report: response, failed: true, isLast: true };
    return { sequenceNumber, failed: type === 'error' };
  },
  withCost: eventWithInnerCost,
  errorEvents,
};

/** Longer texts of a response, such as its instructions, are not kept while it is streamed. */
const MOST_HEAD_CHARS = 200;

/** The members of a response that are no list, object or long text. */
const headOf = (response: Fields): Fields =>
  Object.fromEntries(
    Object.entries(response).filter(([, value]) =>
      typeof value === 'string' ? value.length <= MOST_HEAD_CHARS : typeof value !== 'object',
    ),
  );

/** Some clients read errors of one event only, and some of the other. */
function errorEvents({ error, head, sequenceNumber }: StreamError): SseEvent {
  const { message, code, param } = error;
  const failed = { code: code ?? 'server_error', message };
  const response = { ...head, object: 'response', status: 'failed', error: failed };
  const nothing = { incomplete_details: null, output: [], usage: null };
  const events = [
    { type: 'error', sequence_number: sequenceNumber, code, message, param },
    {
      type: 'response.failed',
      sequence_number: sequenceNumber + 1,
      response: { ...response, ...nothing },
    },
  ];
  return eventOf(events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join(''));
}

/** Why a response ends: its status, or what it is incomplete for. */
function endOf({ status, incomplete_details: details }: Fields): unknown {
  return (details as Fields | null | undefined)?.reason ?? status;
}

/** Sets the price in the usage of the response that an event holds. Every other byte stays. */
function eventWithInnerCost(event: SseEvent, charge: Charge | null): SseEvent {
  const held = responseIn(event);
  return held ? held.eventWith(withCost(held.response, charge)) : event;
}

/** The JSON of the response that an event holds, and the event with another one. Undefined for an event without, or in several lines. */
export function responseIn(
  event: SseEvent,
): { response: Buffer; eventWith(response: Buffer): SseEvent } | undefined {
  const found = DATA.exec(event);
  if (!found) return undefined;
  const json = bytesOf(found[1]!);
  const [member] = readJson(json, { names: RESPONSE }).members;
  if (!member) return undefined;
  const { start, end } = member;
  const at = found.index + found[0].length - found[1]!.length;
  return {
    response: json.subarray(start, end),
    eventWith: (response) =>
      event.slice(0, at) +
      Buffer.concat([json.subarray(0, start), response, json.subarray(end)]).toString('latin1') +
      event.slice(at + found[1]!.length),
  };
}

/** Responses for upstreams that speak them. */
export const NATIVE_RESPONSES: Protocol['native'] = {
  reader,
  limitField: 'max_output_tokens',
  fields: new UniqueNames({
    model: {},
    max_output_tokens: {},
    input: ALL,
    instructions: {},
    stream: {},
    store: {},
    tools: ALL,
    tool_choice: ALL,
    text: ALL,
    reasoning: ALL,
    service_tier: {},
    previous_response_id: {},
    conversation: {},
    background: {},
  }),
  headersOf: () => ({}),
  // Without the field, servers store the answer.
  imposedOn: ({ store }): Record<string, boolean> => (store === false ? {} : { store: false }),
  forChat: responsesForChat,
};
