import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { waitFor } from '@inference/testing';

/** Asks HAProxy's runtime socket. */
async function askHaproxy(socketFile: string, command: string): Promise<string> {
  const socket = connect(socketFile);
  socket.write(`${command}\n`);
  return text(socket);
}

/** The servers that get requests, by name. */
async function serversUp(socketFile: string): Promise<Set<string>> {
  const lines = (await askHaproxy(socketFile, 'show stat -1 4 -1')).trim().split('\n');
  const rows = lines.map((line) => line.split(','));
  const status = rows[0]!.indexOf('status');
  return new Set(rows.filter((row) => row[status]?.startsWith('UP')).map((row) => row[1]!));
}

/** Resolves when HAProxy sends requests to all of these servers. */
export async function untilReplicasAreUp(socketFile: string, names: string[]): Promise<void> {
  await waitFor(async () => {
    const up = await serversUp(socketFile);
    return names.every((name) => up.has(name));
  }, 60_000);
}
