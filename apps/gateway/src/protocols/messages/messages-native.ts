import { EVERY, UniqueNames } from '@inference/http';
import { ANTHROPIC_VERSION } from '@inference/serving';
import { eventOf } from '@inference/sse';
import { anthropicErrorBody } from '../../errors/anthropic-error';
import { type NativeEvent, type NativeReader } from '../../proxy/native-call';
import { textsIn } from '../../proxy/usage/texts-in';
import { eventWithCost } from '../../proxy/usage/usage-cost';
import { type Fields } from '../fields';
import { type Protocol } from '../protocol';
import { messagesForChat } from './messages-for-chat';

/** What names the parts of an answer. A signature is no token of it. */
const LABELS = new Set(['type', 'id', 'signature']);
const UNREAD: NativeEvent = {};
/** At any depth. */
const ALL = { [EVERY]: true } as const;

const reader: NativeReader = {
  isAnswer: (content) => {
    const { type, content: blocks } = content as Fields;
    return type === 'message' && Array.isArray(blocks);
  },
  isRefusal: (content) => {
    const { type, error } = content as Fields;
    return type === 'error' && error !== null && typeof error === 'object';
  },
  textOf: (content) => textsIn((content as Fields).content, LABELS).join(''),
  finishReasonOf: (content) => (content as Fields).stop_reason,
  eventOf: (data) => {
    const { type, message, delta, usage } = data as Record<string, Fields | undefined> & { type: unknown };
    if (type === 'content_block_delta') return { text: deltaOf(delta) };
    if (type === 'message_start') return { report: message };
    if (type === 'message_delta') return { report: usage && data, finishReason: delta?.stop_reason };
    if (type === 'message_stop') return { isLast: true };
    return type === 'error' ? { failed: true, isLast: true } : UNREAD;
  },
  withCost: eventWithCost,
  errorEvents: ({ status, error, requestId }) =>
    eventOf(`event: error\ndata: ${JSON.stringify(anthropicErrorBody(status, error, requestId))}\n\n`),
};

function deltaOf(delta: Fields | undefined): string | undefined {
  const { text, thinking, partial_json: json } = delta ?? {};
  return [text, thinking, json].find((value) => typeof value === 'string') as string | undefined;
}

/** Messages for upstreams that speak them. */
export const NATIVE_MESSAGES: Protocol['native'] = {
  reader,
  limitField: 'max_tokens',
  fields: new UniqueNames({
    model: {},
    max_tokens: {},
    messages: ALL,
    system: ALL,
    stream: {},
    tools: ALL,
    tool_choice: ALL,
    thinking: ALL,
    output_config: ALL,
    output_format: ALL,
    service_tier: {},
  }),
  headersOf: (request) => {
    const beta = request.get('anthropic-beta');
    return {
      'anthropic-version': request.get('anthropic-version') ?? ANTHROPIC_VERSION,
      ...(beta !== undefined && { 'anthropic-beta': beta }),
    };
  },
  imposedOn: () => ({}),
  forChat: messagesForChat,
};
