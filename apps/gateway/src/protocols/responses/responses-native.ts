import { EVERY, readJson, UniqueNames } from '@inference/http';
import { bytesOf, eventOf, type SseEvent } from '@inference/sse';
import { type Charge } from '@inference/metering';
import { type NativeEvent, type NativeReader } from '../../proxy/native-call';
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
    const { type, delta, response } = data as Fields & { response?: Fields };
    if (typeof type !== 'string') return UNREAD;
    if (type.endsWith('.delta')) return typeof delta === 'string' ? { text: delta } : UNREAD;
    if (type === 'response.completed' || type === 'response.incomplete')
      return { report: response, finishReason: endOf(response ?? {}), isLast: true };
    if (type === 'response.failed') return { report: response, failed: true, isLast: true };
    return type === 'error' ? { failed: true } : UNREAD;
  },
  withCost: eventWithInnerCost,
  errorEvent: (_status, { message, code, param }) =>
    eventOf(
      `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param, sequence_number: 0 })}\n\n`,
    ),
};

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
