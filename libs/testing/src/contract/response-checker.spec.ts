import { readApiDocument } from './api-document';
import { ResponseChecker } from './response-checker';

const checker = new ResponseChecker(readApiDocument('gateway'));

const faultsOf = (contentType: string, body: string) =>
  checker.faultsOf({
    method: 'POST',
    route: '/v1/chat/completions',
    status: 200,
    headers: { 'content-type': contentType, 'x-request-id': '1' },
    body: Buffer.from(body),
  });
const streamFaults = (...data: string[]) =>
  faultsOf('text/event-stream', data.map((one) => `data: ${one}\n\n`).join(''));

const CHUNK = '{"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}';
const USAGE = '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}';
const ERROR = '{"error":{"message":"Failed.","type":"server_error","param":null,"code":"upstream_error"}}';

test('a stream of the gateway may have chunks, a chunk with the usage, an error and the end', () => {
  expect(streamFaults(CHUNK, USAGE, '[DONE]')).toEqual([]);
  expect(streamFaults(CHUNK, ERROR)).toEqual([]);
});

test.each([
  '[END]',
  '"[END]"',
  '{"choices":',
  '{}',
  '{"choices":[{"index":0,"delta":{"content":5}}]}',
  '{"choices":[],"usage":{"prompt_tokens":"1"}}',
  '{"error":"Failed."}',
])('a stream of the gateway may not have the event %s', (data) => {
  expect(streamFaults(CHUNK, data)).toContainEqual(expect.stringContaining('must match a schema in anyOf'));
});

test('an event with a name that is not documented is a fault', () => {
  expect(faultsOf('text/event-stream', `event: other\ndata: ${CHUNK}\n\n`)).toEqual([
    'the event other is not documented',
  ]);
});

test('a body that is not JSON, or not of the schema, is a fault', () => {
  const json = 'application/json; charset=utf-8';
  expect(faultsOf(json, '{"choices":[]}')).toEqual([]);
  expect(faultsOf(json, '{"choices":')).toEqual(['body is not JSON']);
  expect(faultsOf(json, '{}')).toEqual([expect.stringContaining("required property 'choices'")]);
});

test('an error that the document names once for several operations is compared, too', () => {
  const refusal = (body: string) =>
    checker.faultsOf({
      ...{ method: 'POST', route: '/v1/chat/completions', status: 500, body: Buffer.from(body) },
      headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': '1' },
    });
  expect(refusal(ERROR)).toEqual([]);
  expect(refusal('{"error":"Failed."}')).toEqual([expect.stringContaining('error')]);
});
