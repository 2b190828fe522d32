import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { waitFor } from '../wait-for';
import { describeWhere, findFreePort, isExecutable } from './local-servers';
import { Redis } from 'ioredis';

/** Path of redis-server: `REDIS_SERVER`, or the one in the PATH; undefined if there is none. */
function findRedisServer(): string | undefined {
  const { REDIS_SERVER, PATH = '' } = process.env;
  if (REDIS_SERVER) return REDIS_SERVER;
  return PATH.split(delimiter)
    .map((folder) => join(folder, 'redis-server'))
    .find(isExecutable);
}

const REDIS_SERVER = findRedisServer();

/** Skips the tests if there is no redis-server. */
export const describeWithRedis = describeWhere(
  REDIS_SERVER !== undefined,
  'no redis-server in the PATH, nor REDIS_SERVER',
);

/** A real Redis without persistence. It can be stopped and started again on the same port. */
export class RedisServer {
  private child: ChildProcess | undefined;
  private ended: Promise<unknown> = Promise.resolve();
  private isOver = false;

  private constructor(
    readonly port: number,
    private readonly password: string | undefined,
  ) {}

  static async create(password?: string): Promise<RedisServer> {
    return new RedisServer(await findFreePort(), password);
  }

  get url(): string {
    return `redis://${this.password === undefined ? '' : `:${this.password}@`}127.0.0.1:${this.port}`;
  }

  /** Resolves when the server responds. */
  async start(): Promise<void> {
    // A test that has timed out may still run.
    if (this.isOver) throw new Error('This Redis has been stopped for good.');
    const settings = { port: this.port, bind: '127.0.0.1', save: '', dir: tmpdir() };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    if (this.password !== undefined) args.push('--requirepass', this.password);
    this.child = spawn(REDIS_SERVER!, args, { stdio: 'ignore' });
    this.ended = once(this.child, 'exit');
    await waitFor(() => this.withConnection((redis) => redis.ping()));
  }

  /** Stops the server for good, at the end of every test. */
  stop(): Promise<void> {
    this.isOver = true;
    return this.kill();
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  /** Stops the process: connections stay open and new ones are accepted, but nothing responds. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Runs work on a new connection. */
  async withConnection<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, {
      lazyConnect: true,
      retryStrategy: () => null,
      disconnectTimeout: 250,
    });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }
}
