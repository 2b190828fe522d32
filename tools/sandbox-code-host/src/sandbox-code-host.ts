import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type z } from 'zod';
import { type injectedFaults } from './fault-injection';
import { consoleEnvironment, type Site } from './console-environment';
import { type SandboxRelease } from './repositories/repositories';
import { type SandboxRequest } from './request-log';

const ROOT = join(__dirname, '../../..');
const MAIN = join(ROOT, 'dist/tools/sandbox-code-host/src/main.js');
/** Ends the process when this one ends. */
const PRELOAD = join(ROOT, 'tools/launcher/processes/stop-with-parent.mjs');
const ANNOUNCEMENT = /listening on (\S+)/;
const POLL_SECONDS = 10;

export interface SandboxCodeHostOptions {
  /** GitHub on intl, Gitee on cn. */
  site: Site;
  /** The token that the API requires. By default it requires none. */
  token?: string;
  /** One that the system gives to nobody else while the process is killed. By default the system chooses. */
  port?: number;
}

/** The code host of a site, as a process. */
export class SandboxCodeHost {
  private child!: ChildProcess;
  /** Without a trailing slash. */
  url!: string;

  private constructor(private readonly options: SandboxCodeHostOptions) {}

  static async start(options: SandboxCodeHostOptions): Promise<SandboxCodeHost> {
    const sandbox = new SandboxCodeHost(options);
    await sandbox.spawn(String(options.port ?? 0));
    return sandbox;
  }

  /** The environment that makes the console import releases of these repositories (`owner/name`), by component. */
  consoleEnvironment(repositories: Record<string, string>): Record<string, string> {
    const { site, token } = this.options;
    return {
      ...consoleEnvironment(site, this.url, { repositories, pollSeconds: POLL_SECONDS }),
      ...(token !== undefined && { CODE_HOST_TOKEN: token }),
    };
  }

  /** Replaces all releases of a repository; the host lists them in this order. */
  async publish(repository: string, ...releases: SandboxRelease[]): Promise<void> {
    await this.send('PUT', `/_sandbox/repositories/${repository}`, { releases });
  }

  /** Replaces the injected faults, by default with none. */
  async tell(faults: z.input<typeof injectedFaults> = {}): Promise<void> {
    await this.send('POST', '/_sandbox/behaviour', faults);
  }

  /** Calls of the API, oldest first; those for one repository when it is named. */
  async requests(repository?: string): Promise<SandboxRequest[]> {
    const { requests } = (await this.send('GET', '/_sandbox/requests')) as { requests: SandboxRequest[] };
    return requests.filter(({ path }) => repository === undefined || path.includes(`/repos/${repository}/`));
  }

  async forgetRequests(): Promise<void> {
    await this.send('DELETE', '/_sandbox/requests');
  }

  /** Does nothing if the process has ended. */
  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  /** Starts again at the same address, without faults and repositories. */
  async restart(): Promise<void> {
    await this.spawn(new URL(this.url).port);
  }

  private async send(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.url + path, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`The sandbox refused (${response.status}): ${await response.text()}`);
    return response.json();
  }

  /** Resolves when the process listens. Rejects with its output if it ends. */
  private spawn(port: string): Promise<void> {
    const { token } = this.options;
    const child = spawn(process.execPath, ['--import', PRELOAD, MAIN], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        LAUNCHED_BY: String(process.pid),
        SANDBOX_CODE_HOST_PORT: port,
        ...(token !== undefined && { SANDBOX_CODE_HOST_TOKEN: token }),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    return new Promise((resolve, reject) => {
      let output = '';
      const read = (chunk: Buffer) => {
        output += chunk.toString();
        const url = ANNOUNCEMENT.exec(output)?.[1];
        if (url === undefined) return;
        this.url = url;
        resolve();
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`The sandbox code host did not start:\n${output}`)));
    });
  }
}
