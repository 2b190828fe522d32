import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Body, Controller, type INestApplication, Post } from '@nestjs/common';
import { testLog, waitFor } from '@inference/testing';
import { JsonScanner } from '../json/json-scanner';
import { Public } from '../per-route';
import { createService } from '../service';
import { ServiceModule } from '../service.module';
import { BodyAs } from './body.guard';
import { BodyMemory } from './body-memory';

const BODY_LIMIT_BYTES = 2 ** 21;
/** Takes more than ten slices. */
const BODY = `[${'{},'.repeat(600_000)}{}]`;
const CLIENTS = 20;

let handled = 0;

@Controller()
class BodiesController {
  @Public()
  @Post('values')
  @BodyAs('json', BODY_LIMIT_BYTES)
  take(@Body() _values: unknown) {
    handled++;
    return {};
  }
}

class AppModule {}

describe('clients that leave when their body has arrived', () => {
  let app: INestApplication;
  let port: number;

  beforeAll(async () => {
    const module = {
      module: AppModule,
      imports: [ServiceModule.forRoot({})],
      controllers: [BodiesController],
    };
    const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace', TRUST_PROXY: 1 };
    app = await createService(module, config, {
      name: 'bodies',
      bodyLimitBytes: BODY_LIMIT_BYTES,
      logTo: testLog('bodies'),
    });
    await app.listen(0, '127.0.0.1');
    ({ port } = app.getHttpServer().address() as AddressInfo);
  });
  beforeEach(() => (handled = 0));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => app.close());

  const requestOf = (number: number, body: string) =>
    `POST /values HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${number}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  async function opened(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket.resume();
  }
  /** Readings that began earlier, and go on, end before this one. */
  async function answerToLast(): Promise<void> {
    const last = await opened();
    last.write(requestOf(99, BODY));
    await once(last, 'data');
    last.destroy();
  }
  /** The texts of which a part was to be scanned, with the offset; the bytes that are held; and whether scanning stands still. */
  function watched() {
    const pause = { isOn: false };
    const reached = new Map<object, number>();
    const { scan } = JsonScanner.prototype;
    jest.spyOn(JsonScanner.prototype, 'scan').mockImplementation(function (this: JsonScanner, upTo) {
      reached.set(this, upTo);
      return scan.call(this, pause.isOn ? 0 : upTo);
    });
    const add = jest.spyOn(BodyMemory.prototype, 'add');
    const memory = () =>
      (add.mock.contexts[0] as unknown as { heldBytes: number } | undefined)?.heldBytes ?? 0;
    return { reached, memory, pause };
  }

  it('are read no further than the slice in which they leave', async () => {
    const { reached, memory } = watched();
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, opened));
    // Each leaves when the first of its body is scanned.
    sockets.forEach((socket, number) => socket.write(requestOf(number, BODY)));
    await waitFor(() => reached.size > 0);
    for (const socket of sockets) socket.destroy();
    await waitFor(() => memory() === 0);
    await answerToLast();
    expect(handled).toBe(1);
    const ends = [...reached.values()].filter((offset) => offset >= BODY.length);
    expect(ends).toHaveLength(1);
  });

  it('are not read if they wait behind another request of their connection', async () => {
    const { reached, memory, pause } = watched();
    pause.isOn = true;
    const socket = await opened();
    socket.write(requestOf(1, BODY) + requestOf(1, BODY));
    await waitFor(() => memory() === BODY.length);
    socket.destroy();
    pause.isOn = false;
    await answerToLast();
    await waitFor(() => memory() === 0);
    expect(reached.size).toBe(2);
  });
});
