import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { endStalled } from '@inference/http';
import { waitFor } from '@inference/testing';
import { type Response } from 'express';
import { sendAnswer } from './kept-answer';

const PIECE_BYTES = 262_144;
/** More than the buffers of a connection take. */
const BODY = Buffer.alloc(100 * PIECE_BYTES, 'x');
const STALL_MILLIS = 750;
/** Of a client that reads on. Three take longer than a stall, and one may end late on a busy machine. */
const PAUSE_MILLIS = 300;
/** No test machine is so slow. */
const LONG_STALL_MILLIS = 60_000;

let server: Server;
let onRequest: (response: Response) => unknown;

beforeAll(async () => {
  server = createServer((_request, response: ServerResponse & { status?: unknown }) => {
    response.status = (status: number) => Object.assign(response, { statusCode: status });
    onRequest(response as unknown as Response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => jest.restoreAllMocks());

/** The answer to a client that has read nothing of it yet. */
async function unreadAnswer(): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
  return answer;
}

const sent = (response: Response, body = BODY, stallMillis = STALL_MILLIS) =>
  sendAnswer({ status: 200, headers: { 'X-Test': 'yes' }, body }, response, stallMillis, 'one');

it.each([0, 5, PIECE_BYTES, 1_048_576, 1_048_577, 5 * PIECE_BYTES])(
  'sends an answer of %d bytes',
  async (length) => {
    onRequest = (response) => sent(response, BODY.subarray(0, length), LONG_STALL_MILLIS);
    const answer = await unreadAnswer();
    expect(answer.headers['x-test']).toBe('yes');
    expect((await buffer(answer)).length).toBe(length);
  },
);

it.each([
  ['sends a long answer to a client that reads it as slowly as it may', 1_000, 'whole'],
  ['cuts a long answer of a client that reads it more slowly', 1_200, 'cut'],
])('%s', async (_what, millisOfPiece, end) => {
  let ending: Promise<void> | undefined;
  onRequest = (response) => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const write = response.write.bind(response) as (piece: Buffer) => boolean;
    response.write = (piece: Buffer) => {
      now = now === 0 ? 29_900 : now + millisOfPiece;
      return write(piece);
    };
    ending = sent(response, BODY, LONG_STALL_MILLIS);
  };
  const answer = await unreadAnswer();
  const read = buffer(answer).then(
    (body) => (body.length === BODY.length ? 'whole' : 'cut'),
    () => 'cut',
  );
  expect(await read).toBe(end);
  await ending;
});

it('disconnects the oldest client of the account for which most is unread', async () => {
  const { port } = server.address() as AddressInfo;
  const closed: string[] = [];
  const ask = async (accountId: string, name: string) => {
    onRequest = (response) => {
      // Nothing leaves the process: a connection within a machine takes a megabyte by itself.
      Object.assign(response.socket!, { connecting: true });
      response.once('close', () => closed.push(name));
      return sendAnswer(
        { status: 200, headers: {}, body: BODY.subarray(0, 1_048_576) },
        response,
        LONG_STALL_MILLIS,
        accountId,
      );
    };
    const asked = once(server, 'request');
    get({ port, host: '127.0.0.1' }).on('error', () => undefined);
    await asked;
  };
  await ask('other', 'other 0');
  for (let count = 0; count < 64; count++) await ask('one', `one ${count}`);
  await waitFor(() => closed.length > 1);
  expect(closed).toEqual(['one 0', 'one 1']);
});

it.each<[string, (response: Response) => unknown]>([
  ['a long answer', (response) => sent(response)],
  [
    'what was written at once',
    (response) => {
      endStalled(response, STALL_MILLIS);
      response.end(BODY);
    },
  ],
])('disconnects a client that reads nothing of %s, and not one that pauses', async (_what, send) => {
  let response: Response | undefined;
  onRequest = (given) => {
    response = given;
    return send(given);
  };
  const unread = await unreadAnswer();
  await once(response!, 'close');
  await expect(buffer(unread)).rejects.toThrow();

  const slow = await unreadAnswer();
  let bytes = 0;
  for await (const chunk of slow) {
    const before = bytes;
    bytes += (chunk as Buffer).length;
    const isNextQuarter = Math.floor((4 * bytes) / BODY.length) > Math.floor((4 * before) / BODY.length);
    if (isNextQuarter) await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
  }
  expect(bytes).toBe(BODY.length);
});
