import { createServer, type AddressInfo, type LookupFunction, type Server } from 'node:net';
import { PrivateAddressError, upstreamConnector } from './upstream-connector';

const HOST = 'engine.example.com';
/** No server has it (RFC 5737). */
const NOWHERE = { address: '203.0.113.1', family: 4 };
const LOCAL = { address: '127.0.0.1', family: 4 };
const TIMEOUT_MILLIS = 50;
/** For connections that are not to time out, however busy the machine is. */
const LONG_MILLIS = 60_000;

let server: Server;
let connections = 0;
let port: number;
beforeAll(async () => {
  server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => (connections = 0));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Connects; returns the error, if any. */
function connect(
  hostname: string,
  found: (typeof LOCAL)[],
  named: string[] = [],
  timeoutMillis = LONG_MILLIS,
): Promise<Error | null> {
  const resolve: LookupFunction = (_name, _options, callback) => callback(null, found);
  const connector = upstreamConnector(timeoutMillis, (origin) => named.includes(origin), resolve);
  const target = { hostname, host: `${hostname}:${port}`, protocol: 'http:', port: String(port) };
  return new Promise((done) => {
    connector(target, (error, socket) => {
      socket?.destroy();
      done(error);
    });
  });
}

describe('a connection to an upstream', () => {
  it.each([
    ['an address', '127.0.0.1', []],
    ['an IPv6 address that holds one', '::ffff:127.0.0.1', []],
    ['one of a translator', '::ffff:0:127.0.0.1', []],
    ['one of another translator', '64:ff9b:1::7f00:1', []],
    ['one of a tunnel', '2002:7f00:1::', []],
    ['a name', HOST, [LOCAL]],
  ])('is refused in a private network: %s', async (_kind, hostname, found) => {
    expect(await connect(hostname, found)).toBeInstanceOf(PrivateAddressError);
    expect(connections).toBe(0);
  });

  it('is made there if its origin may be there', async () => {
    expect(await connect('127.0.0.1', [], [`http://127.0.0.1:${port}`])).toBeNull();
    expect(await connect('127.0.0.1', [], ['http://127.0.0.1'])).toBeInstanceOf(PrivateAddressError);
  });

  it('is made to public addresses of a name that also has private ones', async () => {
    const error = await connect(HOST, [LOCAL, NOWHERE], [], TIMEOUT_MILLIS);
    expect(error).not.toBeInstanceOf(PrivateAddressError);
    expect(connections).toBe(0);
  });
});
