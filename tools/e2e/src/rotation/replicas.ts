import { waitFor } from '@inference/testing';
import { type ServiceProcess } from '../site/service-process';

type Environment = Record<string, string>;
type Start = (environment: Environment) => Promise<ServiceProcess>;

interface Replica {
  service: ServiceProcess;
  openRequests: number;
}

const COUNT = 2;
const DRAIN_MILLIS = 120_000;

/** Two processes of a service behind a balancer: each request goes to one of them, and none to one that is going to stop. */
export class Replicas {
  private replicas: Replica[] = [];
  private turn = 0;

  private constructor(
    private readonly startOne: Start,
    private environment: Environment,
  ) {}

  static async start(start: Start, environment: Environment = {}): Promise<Replicas> {
    const service = new Replicas(start, environment);
    for (let n = 0; n < COUNT; n++) service.replicas.push(await service.startNew());
    return service;
  }

  /** What the processes that run have written. */
  get output(): string {
    return this.replicas.map(({ service }) => service.output).join('');
  }

  /** Sends a request to one of them. */
  async send<T>(request: (url: string) => Promise<T>): Promise<T> {
    const replica = this.replicas[this.turn++ % this.replicas.length]!;
    replica.openRequests++;
    return request(replica.service.url).finally(() => replica.openRequests--);
  }

  /** Replaces the processes, one after another, by some with these changes of their environment. */
  async restart(changes: Environment): Promise<void> {
    this.environment = { ...this.environment, ...changes };
    for (let n = 0; n < COUNT; n++) {
      const added = await this.startNew();
      const removed = this.replicas.shift()!;
      this.replicas.push(added);
      await waitFor(() => removed.openRequests === 0, DRAIN_MILLIS);
      expect([removed.service.name, await removed.service.stop()]).toEqual([removed.service.name, true]);
    }
  }

  private async startNew(): Promise<Replica> {
    return { service: await this.startOne(this.environment), openRequests: 0 };
  }
}
