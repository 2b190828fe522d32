import { NotificationChannel } from '@inference/database';
import { type Caller } from '@inference/guards';
import { type TestAccount, TestPool } from '@inference/testing';
import { readGatewayConfig } from '../config';
import { GatewayError, toOpenAiError } from '../errors/openai-error';
import { type Environment, testEnvironment } from '../testing/gateway.fixture';
import { type Hold } from './lease';
import { LeaseManager } from './lease-manager';
import { LeaseRepository } from './lease.repository';

export interface TestLeaseManager {
  manager: Pick<LeaseManager, 'hold'>;
  pool: TestPool;
  /** Releases all holds and shuts the manager down gracefully. */
  stop(): Promise<void>;
}

/** Without `timed`, the manager neither renews its leases nor returns idle ones: only a recall returns money. */
export async function startLeaseManager(
  url: string,
  overrides: Environment,
  timed: boolean,
): Promise<TestLeaseManager> {
  const config = readGatewayConfig({
    ...testEnvironment(url, [{ name: 'none', base_url: 'http://127.0.0.1:9' }]),
    LEASE_AMOUNT: '0.000000001',
    ...overrides,
  });
  const pool = TestPool.of({ url, applicationName: 'lease manager', size: 4 });
  const channel = new NotificationChannel(url, 'lease manager');
  const leases = new LeaseManager(new LeaseRepository(pool, config.leases), config.leases, channel);
  await channel.start();
  if (timed) leases.onApplicationBootstrap();
  const holds: Hold[] = [];
  const manager = {
    hold: async (caller: Caller, amountPicos: bigint) => {
      const hold = await leases.hold(caller, amountPicos);
      holds.push(hold);
      return hold;
    },
  };
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    for (const hold of holds) hold.release();
    await channel.close();
    await leases.onApplicationShutdown();
    await pool.end();
  };
  return { manager, pool, stop: () => (stopped ??= stop()) };
}

export const callerOf = ({ accountId, apiKeyId }: TestAccount, limitedKeyId?: string): Caller => ({
  accountId,
  role: 'user',
  apiKey: {
    id: limitedKeyId ?? apiKeyId,
    spendLimited: limitedKeyId !== undefined,
    allowedModels: null,
    reportsCost: true,
  },
});

export async function codeOf(hold: Promise<Hold>): Promise<string> {
  const refusal = await hold.then(
    () => null,
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(GatewayError);
  expect(toOpenAiError(refusal as GatewayError).status).toBe(402);
  return (refusal as GatewayError).code;
}
