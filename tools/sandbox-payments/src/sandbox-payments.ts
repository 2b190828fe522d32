import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type z } from 'zod';
import { type injectedFaults } from './injected-faults';
import { consoleEnvironment, type Credentials, newCredentials, type Site } from './credentials/credentials';
import { type SandboxOrder } from './orders/order-view';

const ROOT = join(__dirname, '../../..');
const MAIN = join(ROOT, 'dist/tools/sandbox-payments/src/main.js');
/** Ends the process when this one ends. */
const PRELOAD = join(ROOT, 'tools/launcher/processes/stop-with-parent.mjs');
const ANNOUNCEMENT = /listening on (\S+)/;

export interface SandboxPaymentsOptions {
  /** Stripe on intl, WeChat Pay and Alipay on cn. */
  site: Site;
  /** WeChat Pay signs with two certificates in turn instead of a public key. */
  certificates?: boolean;
  /** Stores the orders over a restart. */
  file?: string;
  /** One that the system gives to nobody else while the process is killed. By default the system chooses. */
  port?: number;
}

/** The payment providers of a site, as a process. */
export class SandboxPayments {
  private readonly credentials: Credentials;
  private merchant: string | null = null;
  private child!: ChildProcess;
  /** Without a trailing slash. */
  url!: string;

  private constructor(private readonly options: SandboxPaymentsOptions) {
    this.credentials = newCredentials(options.site, options);
  }

  static async start(options: SandboxPaymentsOptions): Promise<SandboxPayments> {
    const sandbox = new SandboxPayments(options);
    await sandbox.spawn(String(options.port ?? 0));
    return sandbox;
  }

  /** The environment that makes the console a merchant of this sandbox. */
  consoleEnvironment(): Record<string, string> {
    return consoleEnvironment(this.credentials, this.url);
  }

  /** Sends all notifications to this origin instead of their own. */
  async deliverTo(origin: string): Promise<void> {
    await this.post('/_sandbox/merchant', { origin });
    this.merchant = origin;
  }

  /** Replaces the injected faults, by default with none. */
  async injectFaults(faults: z.input<typeof injectedFaults> = {}): Promise<void> {
    await this.post('/_sandbox/behaviour', faults);
  }

  /** Performs an action of the order's page. Rejects if the status of the order does not allow it. */
  async act(
    paymentId: string,
    action: 'pay' | 'fail' | 'expire',
    payer: { name?: string; email?: string } = {},
  ): Promise<SandboxOrder> {
    return (await this.post(`/orders/${encodeURIComponent(paymentId)}/${action}`, payer)) as SandboxOrder;
  }

  /** Sends the notifications that `reorder` holds, in random order. Returns their number. */
  async flush(): Promise<number> {
    return ((await this.post('/_sandbox/flush', {})) as { released: number }).released;
  }

  /** Rejects if there is no such order. */
  async order(paymentId: string): Promise<SandboxOrder> {
    const response = await fetch(`${this.url}/orders/${encodeURIComponent(paymentId)}`, {
      headers: { Accept: 'application/json' },
    });
    if (!response.ok) throw new Error(`The sandbox answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as SandboxOrder;
  }

  /** Kills the process with -9. Does nothing if it has ended. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Stops the process, which stores its state first. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** Starts again at the same address, with the same keys and without faults. Orders are kept only with a file. */
  async restart(): Promise<void> {
    await this.spawn(new URL(this.url).port);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  private async post(path: string, body: object): Promise<unknown> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`The sandbox refused (${response.status}): ${await response.text()}`);
    return response.json();
  }

  /** Resolves when the process listens. Rejects with its output if it ends. */
  private spawn(port: string): Promise<void> {
    const { file } = this.options;
    const child = spawn(process.execPath, ['--import', PRELOAD, MAIN], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        LAUNCHED_BY: String(process.pid),
        SANDBOX_PAYMENTS_PORT: port,
        SANDBOX_PAYMENTS_PARTIES: JSON.stringify(this.credentials.accounts),
        ...(this.merchant !== null && { SANDBOX_PAYMENTS_MERCHANT: this.merchant }),
        ...(file !== undefined && { SANDBOX_PAYMENTS_FILE: file }),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    return new Promise((resolve, reject) => {
      let output = '';
      let isListening = false;
      child.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const url = ANNOUNCEMENT.exec(output)?.[1];
        if (url === undefined) return;
        this.url = url;
        isListening = true;
        resolve();
      });
      child.stderr?.on('data', (chunk: Buffer) => {
        if (isListening) process.stderr.write(chunk);
        else output += chunk.toString();
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`The sandbox for payments did not start:\n${output}`)));
    });
  }
}
