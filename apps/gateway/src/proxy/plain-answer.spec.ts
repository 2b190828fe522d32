import { answerAsEvents } from './plain-answer';
import { type ProxyRequest } from './request/proxy-request';

const request = (includeUsage: boolean) => ({ includeUsage }) as ProxyRequest;
const eventsOf = async (text: string, includeUsage = true) =>
  Buffer.from(await answerAsEvents(Buffer.from(text), request(includeUsage)), 'latin1').toString('utf8');

describe('an answer that comes at once where a stream was asked for', () => {
  it('becomes one chunk whose numbers keep their values', async () => {
    const answer =
      '{"id":"1","object":"chat.completion","created":12345678901234567890,"choices":[' +
      '{"index":0,"message":{"role":"assistant","content":"é","tool_calls":[{"id":"a"},{"id":"b"}]},"logprobs":{"content":[-1e400]},"finish_reason":"stop"}],' +
      '"usage":{"prompt_tokens":1,"cost":0.00018930001234567890123}}';
    const choices =
      '"choices":[{"index":0,"logprobs":{"content":[-1e400]},"finish_reason":"stop",' +
      '"delta":{"role":"assistant","content":"é","tool_calls":[{"index":0,"id":"a"},{"index":1,"id":"b"}]}}]';
    const chunk = `{"id":"1","object":"chat.completion.chunk","created":12345678901234567890,${choices}`;
    const usage = ',"usage":{"prompt_tokens":1,"cost":0.00018930001234567890123}';
    expect(await eventsOf(answer)).toBe(`data: ${chunk}${usage}}\n\ndata: [DONE]\n\n`);
    expect(await eventsOf(answer, false)).toBe(`data: ${chunk}}\n\ndata: [DONE]\n\n`);
  });

  it.each([
    ['bytes that are no text', Buffer.from('{"choices":[{"x":"\xff"}]}', 'latin1'), '{"x":"\ufffd"}'],
    [
      'depth',
      Buffer.from(`{"choices":[${'['.repeat(200)}${']'.repeat(200)}]}`),
      '['.repeat(200) + ']'.repeat(200),
    ],
    ['no choice', Buffer.from('{"choices":[null]}'), 'null'],
    [
      'calls that are no list',
      Buffer.from('{"choices":[{"message":{"tool_calls":{}}}]}'),
      '{"delta":{"tool_calls":{}}}',
    ],
    ['no choices', Buffer.from('{"data":[]}'), ''],
  ])('becomes one chunk with %s', async (_what, body, choice) => {
    const text = Buffer.from(await answerAsEvents(body, request(false)), 'latin1').toString('utf8');
    expect(text).toContain(`"choices":[${choice}]`);
  });
});
