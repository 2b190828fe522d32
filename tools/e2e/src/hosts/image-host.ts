import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { rememberEnvironment, testLog, waitFor } from '@inference/testing';
import { type Container } from '../../../images/container.mjs';
import { type Environment } from '../deployment/app-config';
import { type Host, type HostNetwork } from './host-network';

const READY_MILLIS = 180_000;
const STOP_MILLIS = 30_000;
const KEPT_OUTPUT_CHARS = 20_000;
/** The ports that the images set. */
const PORT = 3000;
const METRICS_PORT = 9090;
const OTHER_PORTS = { PORT: '3100', METRICS_PORT: '9190' };

type Mounts = NonNullable<NonNullable<Parameters<Container['run']>[1]>['mounts']>;

interface Start {
  network: HostNetwork;
  host: Host;
  environment: Environment;
  /** In addition to /etc/hosts. */
  mounts?: Mounts;
}

/** A service that runs from its image on a host of its own. */
export class ImageHost {
  readonly url: string;
  readonly metricsUrl: string;
  private running: ReturnType<Container['run']> | undefined;
  private output = '';

  constructor(
    readonly container: Container,
    private readonly options: Start,
  ) {
    const { address } = options.host;
    this.url = `http://${address}:${PORT}`;
    this.metricsUrl = `http://${address}:${METRICS_PORT}/metrics`;
  }

  get host(): Host {
    return this.options.host;
  }

  /**
   * Resolves when the service is healthy. Rejects with its output if it is not within three minutes.
   * @param more variables for this start only
   */
  async start(more: Environment = {}): Promise<void> {
    const environment = { ...this.options.environment, ...more };
    rememberEnvironment(environment);
    const { child } = (this.running = this.container.run(environment, this.place()));
    const log = testLog(`image-${this.host.name}`);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        log.write(chunk);
        this.output = (this.output + chunk.toString()).slice(-KEPT_OUTPUT_CHARS);
      });
    try {
      await waitFor(() => this.isHealthy(), READY_MILLIS);
    } catch {
      throw new Error(`${this.host.name} is not healthy:\n${this.output}`);
    }
  }

  async isHealthy(): Promise<boolean> {
    return (await fetch(`${this.url}/healthz`, { signal: AbortSignal.timeout(2_000) })).ok;
  }

  /** Runs a command of the image on the same host. @returns its exit code and output */
  async runCommand(
    command: string[],
    environment: Environment = this.options.environment,
    input = '',
  ): Promise<{ code: number | null; output: string }> {
    const { child } = this.container.run(environment, { ...this.place(), command });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }

  /** Starts the service a second time, with the engine that has built the image, until it is healthy. */
  async probeWithBuildah(): Promise<void> {
    const { host, network, environment } = this.options;
    const { name, config } = this.container;
    const variables = Object.entries({ ...environment, ...OTHER_PORTS });
    const args = [
      ...['netns', 'exec', host.namespace, 'buildah', 'run'],
      ...['--volume', `${network.hostsFile}:/etc/hosts:ro`],
      ...variables.flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
      ...[name, '--', ...config.Cmd],
    ];
    const child = spawn('ip', args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const ended = once(child, 'exit');
    try {
      const url = `http://${host.address}:${OTHER_PORTS.PORT}/healthz`;
      await waitFor(async () => (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok);
    } catch (error) {
      process.kill(-child.pid!, 'SIGKILL');
      throw new Error(`${host.name} is not healthy:\n${(await output).join('')}`, { cause: error });
    }
    process.kill(-child.pid!, 'SIGTERM');
    await ended;
  }

  /** What the system says of the service's process, such as `Uid` or `VmRSS`. */
  statusOf(field: string): string {
    const status = readFileSync(`/proc/${this.running!.pid()}/status`, 'utf8');
    return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const running = this.process();
    if (!running) return;
    const ended = once(running.child, 'exit');
    process.kill(running.pid(), 'SIGKILL');
    await ended;
  }

  /** Sends SIGTERM, and SIGKILL if that does not help. @returns the exit code, or the name of the signal that ended it */
  async stop(): Promise<number | string | null> {
    const running = this.process();
    if (!running) return null;
    const pid = running.pid();
    const ended = once(running.child, 'exit') as Promise<[number | null, string | null]>;
    process.kill(pid, 'SIGTERM');
    const timer = setTimeout(() => process.kill(pid, 'SIGKILL'), STOP_MILLIS);
    const [code, signal] = await ended;
    clearTimeout(timer);
    return code ?? signal;
  }

  /** Undefined before the start and after the end. */
  private process(): ReturnType<Container['run']> | undefined {
    const { running } = this;
    return running?.child.exitCode === null && running.child.signalCode === null ? running : undefined;
  }

  private place() {
    const { network, host, mounts = [] } = this.options;
    const hosts: Mounts = [[network.hostsFile, '/etc/hosts']];
    return { namespace: host.namespace, mounts: [...hosts, ...mounts] };
  }
}
