import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@inference/testing';
import { askHaproxy, readServers } from '../site/haproxy-socket';
import { ROOT, type ServiceProcess } from '../site/service-process';

/** The replicas of a service behind one address of the proxy. The configuration knows two of each. */
export interface Backend {
  name: string;
  port: number;
  replicas: readonly ServiceProcess[];
}

const CONFIGURATION = readFileSync(join(ROOT, 'docker/haproxy/haproxy.cfg'), 'utf8');

/** The section of a service, with ports of this machine instead of hosts. */
function sectionOf({ name, port, replicas }: Backend): string {
  const section = new RegExp(`^listen ${name} [^]*?(?=\\n\\n)`, 'm').exec(CONFIGURATION)![0];
  const bound = section.replace(/bind :\d+/, `bind 127.0.0.1:${port}`);
  return replicas.reduce(
    (text, { url }, index) =>
      text.replace(new RegExp(`(server ${name}-${index + 1}) .*`), `$1 ${new URL(url).host}`),
    bound,
  );
}

/** The configuration that operators get, for these services only. */
function configurationOf(socket: string, backends: readonly Backend[]): string {
  const common = CONFIGURATION.slice(0, CONFIGURATION.indexOf('listen '));
  return [common.replace('/run/haproxy.sock', socket), ...backends.map(sectionOf), ''].join('\n\n');
}

/** HAProxy in front of the replicas of services, with its runtime socket. */
export class Haproxy {
  private constructor(
    private readonly backends: readonly Backend[],
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Resolves when every replica answers its health checks. */
  static async start(program: string, backends: readonly Backend[]): Promise<Haproxy> {
    const folder = mkdtempSync(join(tmpdir(), 'haproxy-'));
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, configurationOf(join(folder, 'socket'), backends));
    const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
    const haproxy = new Haproxy(backends, child, folder);
    for (const { replicas } of backends) for (const replica of replicas) await haproxy.isUp(replica);
    return haproxy;
  }

  /** Sends no new request to the replica, and waits until the requests that it has are answered. */
  async drain(replica: ServiceProcess): Promise<void> {
    await askHaproxy(this.socketFile, `set server ${this.serverOf(replica)} state drain`);
    await waitFor(async () => (await this.state(replica)).scur === '0');
  }

  /** Sends requests to the replica again, and waits until its health check succeeds. */
  async restore(replica: ServiceProcess): Promise<void> {
    await askHaproxy(this.socketFile, `set server ${this.serverOf(replica)} state ready`);
    await this.isUp(replica);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.exitCode === null && this.child.kill('SIGTERM')) await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private serverOf(replica: ServiceProcess): string {
    const backend = this.backends.find(({ replicas }) => replicas.includes(replica))!;
    return `${backend.name}/${backend.name}-${backend.replicas.indexOf(replica) + 1}`;
  }

  private async isUp(replica: ServiceProcess): Promise<void> {
    await waitFor(async () => {
      if (this.child.exitCode !== null) throw new Error(`HAProxy ended with ${this.child.exitCode}.`);
      return (await this.state(replica)).status === 'UP';
    });
  }

  private async state(replica: ServiceProcess): Promise<Record<string, string>> {
    const name = this.serverOf(replica).split('/')[1]!;
    return (await readServers(this.socketFile)).get(name) ?? {};
  }

  private get socketFile(): string {
    return join(this.folder, 'socket');
  }
}
