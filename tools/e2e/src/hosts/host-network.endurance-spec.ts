import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describeWhere, waitFor } from '@inference/testing';
import { findProgram } from '../site/nginx';
import { HostNetwork } from './host-network';

const missing = [
  ...(findProgram('ip') ? [] : ['ip']),
  ...(spawnSync('unshare', ['--net', '--mount', 'true']).status === 0
    ? []
    : ['the right to make namespaces']),
];
const PORT = 8000;
/** Answers with the address of its client. */
const SERVER = `require('node:http')
  .createServer((request, response) => response.end(request.socket.remoteAddress))
  .listen(${PORT}, '0.0.0.0')`;

/** The devices of this machine that have an address, with their addresses. */
const addressesOfMachine = () =>
  execFileSync('ip', ['-brief', 'address'], { encoding: 'utf8' }).match(/^\S+ +\S+ +\S.*$/gm);

describeWhere(missing.length === 0, `${missing.join(', ')} is missing`)('a network of hosts', () => {
  let before: ReturnType<typeof addressesOfMachine>;
  let network: HostNetwork;
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    before = addressesOfMachine();
    network = new HostNetwork(['server']);
    network.create();
    const { address, namespace } = network.hosts.get('server')!;
    url = `http://${address}:${PORT}`;
    server = spawn('ip', ['netns', 'exec', namespace, process.execPath, '--eval', SERVER]);
    await waitFor(async () => (await fetch(url)).ok);
  });
  afterAll(async () => {
    if (server?.exitCode === null) {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    }
    network?.remove();
  });

  it('is reached from an address of the ranges that it names', async () => {
    const address = await (await fetch(url)).text();
    expect(network.clientRanges).toContain(`${address}/32`);
  });

  it('cuts a host off and mends its cable', async () => {
    network.cut('server');
    await expect(fetch(url, { signal: AbortSignal.timeout(500) })).rejects.toThrow();
    network.mend('server');
    await waitFor(async () => (await fetch(url)).ok);
  });

  it('leaves the addresses of this machine as they are', () => {
    expect(addressesOfMachine()).toEqual(before);
  });
});
