import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type z } from 'zod';
import { type behaviour } from './behaviour';
import { consoleEnvironment, type Credentials, newCredentials, type Site } from './credentials';
import { type SandboxOrder } from './order-view';

const ROOT = join(__dirname, '../../..');
const MAIN = join(ROOT, 'dist/tools/sandbox-payments/src/main.js');
/** Ends the process when this one is gone, in whatever way. */
const PRELOAD = join(ROOT, 'tools/launcher/child.mjs');
const ANNOUNCEMENT = /listening on (\S+)/;

export interface SandboxPaymentsOptions {
  /** Stripe on intl, WeChat Pay and Alipay on cn. */
  site: Site;
  /** WeChat Pay signs with two certificates in turn instead of a public key. */
  certificates?: boolean;
  /** Keeps the orders over a kill. */
  file?: string;
}

/** The providers of a site as a process of their own. */
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
    await sandbox.spawn('0');
    return sandbox;
  }

  /** What the console has to be told to be a merchant here. */
  consoleEnvironment(): Record<string, string> {
    return consoleEnvironment(this.credentials, this.url);
  }

  /** Notifications go to this origin, whatever address they are for. */
  async deliverTo(origin: string): Promise<void> {
    await this.post('/_sandbox/merchant', { origin });
    this.merchant = origin;
  }

  /** Replaces what it was told before; without anything it behaves. */
  async tell(told: z.input<typeof behaviour> = {}): Promise<void> {
    await this.post('/_sandbox/behaviour', told);
  }

  /** Does what somebody does on the order's page. Rejects when the order does not allow it. */
  async act(
    paymentId: string,
    action: 'pay' | 'fail' | 'expire',
    payer: { name?: string; email?: string } = {},
  ): Promise<SandboxOrder> {
    return (await this.post(`/orders/${encodeURIComponent(paymentId)}/${action}`, payer)) as SandboxOrder;
  }

  /** Sends the notifications that `reorder` held back, in a random order; returns how many. */
  async flush(): Promise<number> {
    return ((await this.post('/_sandbox/flush', {})) as { released: number }).released;
  }

  /** Rejects when there is none. */
  async order(paymentId: string): Promise<SandboxOrder> {
    const response = await fetch(`${this.url}/orders/${encodeURIComponent(paymentId)}`, {
      headers: { Accept: 'application/json' },
    });
    if (!response.ok) throw new Error(`The sandbox answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as SandboxOrder;
  }

  /** kill -9; may be told to one that has ended already. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** As somebody would, keeping what there is to keep. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** After a kill or stop: at the same address, with the same keys, behaving; without a file it knows no orders. */
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

  /** Resolves when it listens; rejects with its own words when it ends instead. */
  private spawn(port: string): Promise<void> {
    const { file } = this.options;
    const child = spawn(process.execPath, ['--import', PRELOAD, MAIN], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        LAUNCHED_BY: String(process.pid),
        SANDBOX_PAYMENTS_PORT: port,
        SANDBOX_PAYMENTS_PARTIES: JSON.stringify(this.credentials.parties),
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
