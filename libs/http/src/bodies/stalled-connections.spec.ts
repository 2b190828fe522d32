import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Controller, Get, Header, type INestApplication, Res, StreamableFile } from '@nestjs/common';
import { testLog, waitFor } from '@inference/testing';
import { type Response } from 'express';
import { createService } from '../service';
import { ServiceModule } from '../service.module';
import { endStalledConnections } from './stalled-connections';

const STALL_MILLIS = 200;
/** More than the system takes of a client that does not read. */
const LARGE_BYTES = 14 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

@Controller()
class AnswersController {
  @Get('whole')
  whole(@Res() response: Response): void {
    response.end(Buffer.alloc(LARGE_BYTES));
  }

  @Get('streamed')
  @Header('Content-Length', String(LARGE_BYTES))
  streamed(): StreamableFile {
    return new StreamableFile(Buffer.alloc(LARGE_BYTES));
  }

  /** Says something, and then nothing. */
  @Get('silent')
  silent(@Res() response: Response): void {
    response.write('said');
  }

  /** Goes on to write, whether somebody reads or not. */
  @Get('chatty')
  chatty(@Res() response: Response): void {
    response.write(Buffer.alloc(LARGE_BYTES));
    const timer = setInterval(() => response.write(Buffer.alloc(PIECE_BYTES)), STALL_MILLIS / 10);
    response.once('close', () => clearInterval(timer));
  }
}

class AnswersModule {}

const clients: Socket[] = [];
afterAll(() => clients.forEach((client) => client.destroy()));

/** Both ends of the connection of a client that has asked and reads nothing yet. */
async function ask(server: Server, path: string) {
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect({ port, host: '127.0.0.1' });
  clients.push(client);
  client.on('error', () => undefined).pause();
  client.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`);
  const [served] = await accepted;
  return { client, served };
}

describe('a client', () => {
  let app: INestApplication;

  beforeAll(async () => {
    const module = {
      module: AnswersModule,
      imports: [ServiceModule.forRoot({})],
      controllers: [AnswersController],
    };
    const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace' };
    const options = { name: 'answers', logTo: testLog('answers'), stallMillis: STALL_MILLIS };
    app = await createService(module, config, options);
    await app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await app.close();
  });

  it('that reads nothing is disconnected', async () => {
    const closed: Promise<unknown>[] = [];
    for (const path of ['/whole', '/streamed', '/chatty']) {
      const { served } = await ask(app.getHttpServer() as Server, path);
      closed.push(once(served, 'close'));
    }
    await Promise.all(closed);
  });
});

describe('a client of a server whose connections are checked by hand', () => {
  const server = createServer(({ url }, response) => {
    if (url === '/silent') response.write('said');
    else response.end(Buffer.alloc(LARGE_BYTES));
  });
  let check: () => void;

  beforeAll(async () => {
    const timers = jest.spyOn(globalThis, 'setInterval');
    endStalledConnections(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    check = timers.mock.calls.at(-1)![0] as () => void;
    timers.mockRestore();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('that reads slowly, or that nothing waits for, stays connected', async () => {
    const { served: silent } = await ask(server, '/silent');
    const { client, served } = await ask(server, '/whole');
    let bytes = 0;
    client.on('data', (piece: Buffer) => (bytes += piece.length)).pause();
    await waitFor(() => served.writableLength > 0);
    const untaken = () => (served as { _handle?: { writeQueueSize?: number } })._handle?.writeQueueSize;
    while (bytes < LARGE_BYTES) {
      for (let count = 0; count < 4; count++) check();
      expect(served.destroyed).toBe(false);
      const before = untaken();
      client.resume();
      await waitFor(() => untaken() !== before || bytes >= LARGE_BYTES);
      client.pause();
    }
    expect(silent.destroyed).toBe(false);
  });

  it('is disconnected once the checks have found no progress for long enough', async () => {
    const { served } = await ask(server, '/whole');
    await waitFor(() => served.writableLength > 0);
    for (let count = 0; count < 4; count++) check();
    expect(served.destroyed).toBe(false);
    check();
    expect(served.destroyed).toBe(true);
  });
});
