import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { waitFor } from '@inference/testing';
import { Redis } from 'ioredis';
import { describeWhere, findFreePort, isExecutable } from '../local-servers.fixture';

/** `REDIS_SERVER`, or what the PATH has; undefined where there is none. */
function findRedisServer(): string | undefined {
  const { REDIS_SERVER, PATH = '' } = process.env;
  if (REDIS_SERVER) return REDIS_SERVER;
  return PATH.split(delimiter)
    .map((folder) => join(folder, 'redis-server'))
    .find(isExecutable);
}

const REDIS_SERVER = findRedisServer();

/** Skips where there is no Redis to test with. */
export const describeWithRedis = describeWhere(
  REDIS_SERVER !== undefined,
  'no redis-server in the PATH, nor REDIS_SERVER',
);

/** A real Redis that keeps nothing, on one port for its life, which may end and begin again. */
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

  /** Resolves when it answers. */
  async start(): Promise<void> {
    // A test that failed for its time may still be under way.
    if (this.isOver) throw new Error('This Redis was stopped for good.');
    const settings = { port: this.port, bind: '127.0.0.1', save: '', dir: tmpdir() };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    if (this.password !== undefined) args.push('--requirepass', this.password);
    this.child = spawn(REDIS_SERVER!, args, { stdio: 'ignore' });
    this.ended = once(this.child, 'exit');
    await waitFor(() => this.ask((redis) => redis.ping()));
  }

  /** For good: every test ends with this. */
  stop(): Promise<void> {
    this.isOver = true;
    return this.kill();
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  /** It keeps its connections and takes new ones, and answers nothing. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** On a connection of its own. */
  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, {
      lazyConnect: true,
      retryStrategy: () => null,
      disconnectTimeout: 250,
    });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  }
}
