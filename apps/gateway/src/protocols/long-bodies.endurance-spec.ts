import { longestTurnOf } from '@inference/testing';
import { answerAsEvents } from '../proxy/plain-answer';
import { type ProxyRequest, receiveProxyRequest } from '../proxy/request/proxy-request';
import { withFields } from '../proxy/upstream-body';
import { weighLong } from '../proxy/usage/json-weight';
import { promptTokens } from '../proxy/usage/prompt-tokens';
import { messagesForChat } from './messages/messages-for-chat';
import { NATIVE_MESSAGES } from './messages/messages-native';
import { readMessagesRequest } from './messages/messages-request';
import { responsesForChat } from './responses/responses-for-chat';
import { NATIVE_RESPONSES } from './responses/responses-native';
import { readResponsesRequest } from './responses/responses-request';
import { membersReader, readBody } from './json';
import { type Protocol } from './protocol';

/** Bodies up to 32 MiB, which are translated beside other requests. */

const BYTES = 30 * 1024 * 1024;
const filled = (piece: string, bytes = BYTES) => piece.repeat(Math.floor(bytes / piece.length));
const list = (count: number, entry: string) => `[${Array(count).fill(entry).join(',')}]`;

/** As ProtocolsService does it. */
const translated =
  (protocol: Pick<Protocol, 'read'>, names: Protocol['native']['fields']) => async (raw: Buffer) => {
    const body = await readBody(raw);
    const { chat } = await body.work(protocol.read(body));
    await membersReader(raw, names);
    return body.writeWhole(chat);
  };
const fromMessages = translated({ read: readMessagesRequest }, NATIVE_MESSAGES.fields);
const fromResponses = translated({ read: readResponsesRequest }, NATIVE_RESPONSES.fields);
const toMessages = async (raw: Buffer) => (await messagesForChat(raw, 9)).body;
const toResponses = async (raw: Buffer) => (await responsesForChat(raw)).body;

const withSeed = async (raw: Buffer) =>
  withFields(await receiveProxyRequest('chat/completions', raw), { seed: 1 });

/** What a server is sent and reports no usage of. */
const counted = async (raw: Buffer) => {
  const body = await readBody(raw);
  const { chat, hasServerTools } = await body.work(readMessagesRequest(body));
  const request = await receiveProxyRequest('chat/completions', await body.writeWhole(chat));
  request.native = { protocol: 'messages', raw, hasServerTools };
  await weighLong(request, () => undefined);
  return promptTokens(request, true);
};

const asEvents = (raw: Buffer) => answerAsEvents(raw, { includeUsage: true } as ProxyRequest);

const messages = (text: string) => `{"model":"m","max_tokens":9,"messages":[${text}]}`;
const user = (content: string) => messages(`{"role":"user","content":${content}}`);
const used = (input: string) =>
  messages(
    `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"a":${input}}}]},` +
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}',
  );
const input = (items: string) => `{"model":"m","input":[${items}]}`;
/** What is read at once in some 80 ms. */
const PARSED = JSON.stringify('"'.repeat(15_000_000));
const MOST_PART = 0.5;
const QUOTES = String.raw`\"`;

it.each<[string, (raw: Buffer) => Promise<unknown>, string]>([
  [
    'a picture',
    fromMessages,
    user(
      `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${filled('iVBORw0K')}"}}]`,
    ),
  ],
  ['arguments of quotes', fromMessages, used(`"${filled(QUOTES, BYTES / 2 - 1_000)}"`)],
  [
    'a text of quotes behind letters',
    fromMessages,
    user(`"${'a'.repeat(40)}${filled(QUOTES, BYTES / 2 - 1_000)}"`),
  ],
  ['spaces before the first name', withSeed, `{${filled(' ')}"model":"m","messages":[]}`],
  ['arguments of long numbers', fromMessages, used(list(500_000, '12345678901234567890'))],
  ['small messages', fromMessages, messages(list(49_000, '{"role":"user","content":"a"}').slice(1, -1))],
  ['small blocks', fromMessages, user(list(49_000, '{"type":"text","text":"a"}'))],
  ['Chinese', fromMessages, user(`"${filled('中', BYTES / 3)}"`)],
  [
    'a picture in Responses',
    fromResponses,
    input(
      `{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,${filled('iVBORw0K')}"}]}`,
    ),
  ],
  [
    'the input of a tool',
    fromResponses,
    input(
      `{"type":"custom_tool_call","call_id":"c","name":"f","input":"${filled(QUOTES, BYTES / 2 - 1_000)}"}`,
    ),
  ],
  ['small items', fromResponses, input(list(49_000, '{"role":"user","content":"a"}').slice(1, -1))],
  [
    'kept thoughts',
    fromResponses,
    input(`{"type":"reasoning","encrypted_content":"gw1:${filled('5Lit', BYTES / 2)}"}`),
  ],
  [
    'a picture for Messages',
    toMessages,
    user(`[{"type":"image_url","image_url":{"url":"data:image/png;base64,${filled('iVBORw0K')}"}}]`),
  ],
  [
    'arguments',
    toMessages,
    messages(
      `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{${QUOTES}a${QUOTES}:${QUOTES}${filled('a', BYTES / 2)}${QUOTES}}"}}]}`,
    ),
  ],
  [
    'small messages for Responses',
    toResponses,
    messages(list(49_000, '{"role":"user","content":"a"}').slice(1, -1)),
  ],
  [
    'metadata that is counted',
    counted,
    `{"metadata":{"user_id":"${filled(QUOTES)}"},${user('"a"').slice(1)}`,
  ],
  [
    'an answer that comes at once where a stream was asked for',
    asEvents,
    `{"choices":[{"message":{"content":"a"},"logprobs":{"content":${list(300_000, '{"token":"a","logprob":-0.1,"bytes":[97],"top_logprobs":[]}')}}}],"usage":{}}`,
  ],
])('%s of the largest size holds the thread for a short time', async (_what, translate, text) => {
  const raw = Buffer.from(text);
  // Measured: 0.1 to 0.3. At once, they take 0.6 to 4.
  const part = await longestTurnOf(
    () => translate(raw),
    () => JSON.parse(PARSED) as unknown,
    MOST_PART,
  );
  expect(part).toBeLessThan(MOST_PART);
});

it('refuses what becomes longer than a body may be', async () => {
  const raw = Buffer.from(used(`"${filled(QUOTES, BYTES)}"`));
  await expect(fromMessages(raw)).rejects.toMatchObject({ status: 413 });
});
