import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BUILT = join(__dirname, '../../../dist/libs/http/src/unaccepted-connections');
const DEADLINE_MILLIS = 30_000;

/** The worker stops to read its channel once it listens, so it never accepts the connection that it is handed. */
const SCRIPT = `
const cluster = require('node:cluster');
const net = require('node:net');
const { closeUnacceptedConnections } = require(${JSON.stringify(BUILT)});
if (cluster.isWorker) {
  net.createServer().listen(0, '127.0.0.1', () => setTimeout(() => { for (;;); }, 200));
} else {
  const worker = cluster.fork();
  closeUnacceptedConnections(worker);
  worker.once('listening', ({ port }) => setTimeout(() => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('connect', () => setTimeout(() => worker.process.kill('SIGKILL'), 200));
    socket.on('close', () => { console.log('closed'); process.exit(); });
  }, 1_000));
}`;

it('closes a connection that a worker had not accepted when it was killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workers-'));
  const file = join(folder, 'primary.cjs');
  writeFileSync(file, SCRIPT);
  const { stdout } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: DEADLINE_MILLIS });
  rmSync(folder, { recursive: true });
  expect(stdout).toBe('closed\n');
});
