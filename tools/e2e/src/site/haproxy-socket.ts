import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** A command of HAProxy's runtime socket, and its answer. */
export async function askHaproxy(socketFile: string, command: string): Promise<string> {
  const socket = connect(socketFile);
  socket.end(`${command}\n`);
  return text(socket);
}

/** HAProxy's statistics of each server, such as `status`, by the server's name. */
export async function readServers(socketFile: string): Promise<Map<string, Record<string, string>>> {
  const answer = await askHaproxy(socketFile, 'show stat -1 4 -1');
  const [header = '', ...rows] = answer.replace(/^# /, '').trim().split('\n');
  const names = header.split(',');
  return new Map(
    rows.map((row) => {
      const values = row.split(',');
      const statistics = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
      return [statistics.svname!, statistics];
    }),
  );
}
