import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type z } from 'zod';
import { type injectedFaults } from './injected-faults';
import { Browser, type SignIn } from './browser';
import { type ClaimsIn, type SandboxClient } from './config';

const ROOT = join(__dirname, '../../..');
const MAIN = join(ROOT, 'dist/tools/sandbox-oidc/src/main.js');
/** Ends the process when this one ends. */
const PRELOAD = join(ROOT, 'tools/launcher/processes/stop-with-parent.mjs');
const ANNOUNCEMENT = /listening on (\S+)/;

export interface SandboxOidcOptions {
  clients: SandboxClient[];
  /** Default userinfo. */
  claimsIn?: ClaimsIn;
  /** One that the system gives to nobody else while the process is killed. By default the system chooses. */
  port?: number;
}

/** An OpenID provider, as a process. */
export class SandboxOidc {
  private constructor(
    private readonly options: SandboxOidcOptions,
    private child: ChildProcess,
    readonly issuer: string,
  ) {}

  static async start(options: SandboxOidcOptions): Promise<SandboxOidc> {
    const { child, issuer } = await spawnSandbox(options, String(options.port ?? 0));
    return new SandboxOidc(options, child, issuer);
  }

  /** Kills the process with -9. Does nothing if it has ended. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** Starts again at the same address, with new keys and without state. */
  async restart(): Promise<void> {
    this.child = (await spawnSandbox(this.options, new URL(this.issuer).port)).child;
  }

  /** Replaces the injected faults, by default with none. */
  async injectFaults(faults: z.input<typeof injectedFaults> = {}): Promise<void> {
    const body = JSON.stringify(faults);
    const response = await fetch(`${this.issuer}/_sandbox/behaviour`, { method: 'POST', body });
    if (!response.ok) throw new Error(`The sandbox refused: ${await response.text()}`);
  }

  /** Signs in with a new browser. Returns the URL that the provider redirects to. */
  signIn(authorizationUrl: string, how: SignIn): Promise<string> {
    return new Browser(this.issuer).signIn(authorizationUrl, how);
  }
}

/** Resolves when the process listens. Rejects with its output if it ends. */
function spawnSandbox(
  { clients, claimsIn = 'userinfo' }: SandboxOidcOptions,
  port: string,
): Promise<{ child: ChildProcess; issuer: string }> {
  const child = spawn(process.execPath, ['--import', PRELOAD, MAIN], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      LAUNCHED_BY: String(process.pid),
      SANDBOX_OIDC_PORT: port,
      SANDBOX_OIDC_CLIENTS: JSON.stringify(clients),
      SANDBOX_OIDC_CLAIMS_IN: claimsIn,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const issuer = ANNOUNCEMENT.exec(output)?.[1];
      if (issuer !== undefined) resolve({ child, issuer });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`The sandbox provider did not start:\n${output}`)));
  });
}
