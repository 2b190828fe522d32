import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findFreePortRange,
  holdProcessToContract,
  rememberEnvironment,
  rememberSecret,
  testLog,
  waitFor,
} from '@inference/testing';
import { ROOT } from '../site/service-process';

/** A whole site with a database of its own, on a busy machine. */
const READY_MILLIS = 300_000;
const STOP_MILLIS = 120_000;

/** `npm start`, as a process that ends with this one. */
class LauncherProcess {
  /** The exit code, null when it was killed. */
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  private text = '';

  constructor(environment: Record<string, string>) {
    this.child = spawn(process.execPath, [join(ROOT, 'tools/launcher/start.mjs')], {
      cwd: ROOT,
      // `npm_lifecycle_event` makes the launcher end when its parent process ends, as under npm.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** The complete output so far. */
  get output(): string {
    return this.text;
  }

  /** Resolves when the launcher prints that the platform is running. Rejects with its output if it ends instead. */
  async untilRunning(): Promise<void> {
    const isRunning = () => {
      if (this.hasEnded) throw new Error(`The launcher has ended:\n${this.text}`);
      return this.text.includes('The platform is running');
    };
    await waitFor(() => this.hasEnded || isRunning(), READY_MILLIS);
    isRunning();
  }

  /** SIGTERM; the exit code, null when it had to be killed. */
  async stop(): Promise<number | null> {
    if (!this.hasEnded) this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MILLIS);
    const code = await this.ended;
    clearTimeout(timer);
    return code;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

/** The offsets of ports from PORT_BASE: of PostgreSQL, and of the metrics of the first service. */
export const POSTGRES_OFFSET = 20;
export const METRICS_OFFSET = 50;
/** How many ports a site uses, with gaps. */
export const SITE_PORTS = METRICS_OFFSET + 7;

interface Account {
  identifier: string;
  password: string;
  apiKey: string;
}

export interface Platform {
  site: string;
  urls: Record<string, string>;
  accounts: { demo: Account; admin: Account };
  memo: { workspaceId: string; apiKey: string };
  database: { url: string };
  sandbox: { engine?: string; mail?: string; oidc?: string; payments?: string; code_host?: string };
}

export type Environment = Record<string, string>;

interface KeptSecrets {
  payments: { console: Environment };
  downloadLinkSecrets: string[];
}

/** A data folder, and the site that is started on it several times. */
export interface Run {
  dataDir: string;
  portBase: number;
  /** The launcher of the last start. */
  launcher: LauncherProcess;
  platform: Platform;
  start(environment?: Environment): Promise<void>;
}

export const readJson = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), 'utf8')) as T;

/** Starts sites on data folders of their own, all of which `cleanUp` removes. */
export class SiteRuns {
  readonly folder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'launcher-spec-'));
  private readonly launchers: LauncherProcess[] = [];
  private readonly dataDirs = new Set<string>();

  launch(environment: Environment): LauncherProcess {
    const launcher = new LauncherProcess(environment);
    this.launchers.push(launcher);
    return launcher;
  }

  async newRun(settings: Environment = {}): Promise<Run> {
    const portBase = await findFreePortRange(SITE_PORTS);
    const run = { dataDir: join(this.folder, String(portBase)), portBase } as Run;
    const always = { DATA_DIR: run.dataDir, PORT_BASE: String(portBase), LOG_LEVEL: 'trace', ...settings };
    run.start = async (environment) => {
      run.launcher = this.launch({ ...always, ...environment });
      await run.launcher.untilRunning();
      this.dataDirs.add(run.dataDir);
      run.platform = readJson<Platform>(run.dataDir, 'platform.json');
      for (const [name, url] of Object.entries(run.platform.urls))
        holdProcessToContract(url, kebabCase(name));
      rememberSecrets(run);
    };
    return run;
  }

  /** Stops all launchers, and keeps the logs for the search for secrets. */
  async cleanUp(): Promise<void> {
    await Promise.all(this.launchers.map((launcher) => launcher.stop()));
    for (const dataDir of this.dataDirs)
      for (const name of readdirSync(join(dataDir, 'logs')))
        testLog('launcher').write(readFileSync(join(dataDir, 'logs', name)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** `agent-environments` for `agentEnvironments`. */
const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function rememberSecrets({ dataDir, platform }: Run): void {
  for (const { password, apiKey } of Object.values(platform.accounts))
    [password, apiKey].forEach(rememberSecret);
  rememberSecret(platform.memo.apiKey);
  const { payments, downloadLinkSecrets } = readJson<KeptSecrets>(dataDir, 'secrets.json');
  rememberEnvironment(payments.console);
  downloadLinkSecrets.forEach(rememberSecret);
}
