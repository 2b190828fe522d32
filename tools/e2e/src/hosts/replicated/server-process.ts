import { once } from 'node:events';
import { chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { testLog } from '@inference/testing';
import { runIn } from '../../../../images/container.mjs';
import { type Environment } from '../../deployment/app-config';
import { type Host, type HostNetwork } from '../host-network';

/** A user of every Debian, whose number is the same everywhere. */
const NOBODY = 65_534;
/** Where PostgreSQL has its socket. */
const SOCKETS = 'run/postgresql';

export interface ServerDescription {
  name: string;
  command: string[];
  environment?: Environment;
  /** Files of this machine, which are copied to `/run`. */
  files?: string[];
}

/** A server that is not the product's, such as PostgreSQL or HAProxy, on a host of its own. Its data outlives kill -9. */
export class ServerProcess {
  private readonly folder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'server-'));
  private running: ReturnType<typeof runIn> | undefined;

  constructor(
    private readonly root: string,
    private readonly network: HostNetwork,
    private readonly host: Host,
    private readonly description: ServerDescription,
  ) {
    for (const name of ['data', 'run', 'tmp', SOCKETS]) {
      mkdirSync(join(this.folder, name), { mode: 0o700 });
      chownSync(join(this.folder, name), NOBODY, NOBODY);
    }
    for (const file of description.files ?? []) copyFileSync(file, this.runFile(basename(file)));
  }

  /** Where a file of the server's `/run` lies on this machine. */
  runFile(name: string): string {
    return join(this.folder, 'run', name);
  }

  start(): void {
    const { name, command, environment = {} } = this.description;
    const own = ['data', 'run', 'tmp'].map((folder): [string, string] => [
      join(this.folder, folder),
      `/${folder}`,
    ]);
    this.running = runIn(this.root, {
      user: `${NOBODY}:${NOBODY}`,
      folder: '/tmp',
      environment: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
      command,
      namespace: this.host.namespace,
      mounts: [[this.network.hostsFile, '/etc/hosts'], ...own],
    });
    const { child } = this.running;
    const log = testLog(`${this.host.name}-${name}`);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => log.write(chunk));
  }

  /** kill -9 of the server and of every process that it has started. */
  async kill(): Promise<void> {
    const { running } = this;
    if (!running || running.child.exitCode !== null || running.child.signalCode !== null) return;
    const ended = once(running.child, 'exit');
    // The kernel kills the others with the first process of the tree.
    process.kill(running.pid(), 'SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
