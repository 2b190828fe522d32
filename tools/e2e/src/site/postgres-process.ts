import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { findFreePort } from '@inference/testing';
import { type Host } from '../hosts/host-network';
import { ROOT } from './service-process';

/** Runs in its own process, because a test cannot load an ES module. */
const OWNER = `
  import { startPostgres } from ${JSON.stringify(join(ROOT, 'tools/postgres/postgres.mjs'))};
  try {
    const postgres = await startPostgres(JSON.parse(process.env.OPTIONS));
    process.on('SIGTERM', () => postgres.stop());
    process.on('disconnect', () => postgres.stop());
    process.send({ url: postgres.url });
    await postgres.ended;
  } catch (error) {
    process.send({ error: error.message });
  }
  process.disconnect();
`;
/** The data need not survive a power failure. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Where a server runs: on this machine, unless it is given the network namespace of a host. */
interface Place {
  port: number;
  namespace?: string;
}

const newFolder = (prefix: string) => mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), prefix));

/** A PostgreSQL server that a test can stop, and restart with the same data and port. */
export class PostgresProcess {
  private owner: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    private readonly place: Place,
    private readonly settings: Record<string, string> = {},
    private readonly password = 'e2e',
    /** Where the server archives its log to; the server archives nothing without one. */
    readonly backupDir?: string,
  ) {}

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  /** @param settings besides or instead of SETTINGS */
  static async create(settings: Record<string, string> = {}): Promise<PostgresProcess> {
    return new PostgresProcess(newFolder('e2e-postgres-'), { port: await findFreePort() }, settings);
  }

  /** A server that archives its log, and loses nothing that was committed when it is killed. */
  static async createArchiving(settings: Record<string, string> = {}): Promise<PostgresProcess> {
    const folder = newFolder('e2e-archiving-');
    const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', ...settings };
    const place = { port: await findFreePort() };
    return new PostgresProcess(folder, place, durable, 'e2e', join(folder, 'backups'));
  }

  /** A server on a folder that has its data in `data`. `remove` removes the folder. */
  static async on(folder: string): Promise<PostgresProcess> {
    return new PostgresProcess(folder, { port: await findFreePort() });
  }

  /** A server on a host of its own. Clients from these ranges of addresses may connect to it. */
  static async startOn(host: Host, clientRanges: string[], password: string): Promise<PostgresProcess> {
    const place = { port: 5432, namespace: host.namespace };
    const settings = { listen_addresses: '*' };
    const server = new PostgresProcess(newFolder('e2e-postgres-'), place, settings, password);
    await server.start();
    const rules = clientRanges.map((range) => `host all all ${range} scram-sha-256\n`);
    appendFileSync(join(server.dataDir, 'pg_hba.conf'), rules.join(''));
    await server.stop();
    await server.start();
    return server;
  }

  /** Resolves with the URL of the superuser when the server accepts connections. */
  async start(): Promise<string> {
    const { port, namespace } = this.place;
    const logs = process.env.TEST_LOG_FOLDER;
    const options = {
      ...(logs ? { logFile: join(logs, `${basename(this.folder)}.log`) } : {}),
      dataDir: this.dataDir,
      port,
      password: this.password,
      backupDir: this.backupDir,
      settings: { ...SETTINGS, ...this.settings },
    };
    const [program = '', ...args] = [
      ...(namespace ? ['ip', 'netns', 'exec', namespace] : []),
      ...[process.execPath, '--input-type=module', '-e', OWNER],
    ];
    const owner = spawn(program, args, {
      env: { ...process.env, OPTIONS: JSON.stringify(options) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.owner = owner;
    const [message] = (await once(owner, 'message')) as [{ url?: string; error?: string }];
    if (message.url === undefined) throw new Error(message.error);
    return message.url;
  }

  /** A streaming replica of this server, which must be running. Start it while this server still has its recent log. */
  async createStandby(url: string): Promise<PostgresProcess> {
    const { hostname: host, port, username: user, password } = new URL(url);
    const standby = new PostgresProcess(
      newFolder('e2e-standby-'),
      { port: await findFreePort() },
      { primary_conninfo: `host=${host} port=${port} user=${user} password=${password}` },
    );
    const data = join(standby.folder, 'data');
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("SELECT pg_backup_start('standby', true)");
    execFileSync('cp', ['-a', this.dataDir, data]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await client.end();
    rmSync(join(data, 'postmaster.pid'));
    writeFileSync(join(data, 'backup_label'), rows[0]!.labelfile);
    writeFileSync(join(data, 'standby.signal'), '');
    execFileSync('chown', ['-R', `--reference=${join(data, 'PG_VERSION')}`, data]);
    return standby;
  }

  async stop(): Promise<void> {
    const { owner } = this;
    if (!owner || owner.exitCode !== null || owner.signalCode !== null) return;
    const exited = once(owner, 'exit');
    owner.kill('SIGTERM');
    await exited;
  }

  /** kill -9 of the server itself. */
  async kill(): Promise<void> {
    const exited = once(this.owner!, 'exit');
    const [pid] = readFileSync(join(this.dataDir, 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
    await exited;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
