import { createPool, NotificationChannel, type SqlPool } from '@inference/database';
import { type Caller } from '@inference/credentials';
import { type TestAccount } from '@inference/testing';
import { OpenAiError } from '../errors/openai-error';
import { readGatewayConfig } from '../config';
import { type Environment, testEnvironment } from '../gateway.fixture';
import { type Hold } from './lease';
import { LeaseDesk } from './lease-desk';
import { LeaseStore } from './lease-store';

export interface TestDesk {
  desk: Pick<LeaseDesk, 'hold'>;
  pool: SqlPool;
  /** Ends what requests still hold, and shuts the process down in good order. */
  stop(): Promise<void>;
}

/** One that is not `timed` neither renews its leases nor gives idle ones back: only a recall moves its money. */
export async function openDesk(url: string, overrides: Environment, timed: boolean): Promise<TestDesk> {
  const config = readGatewayConfig({
    ...testEnvironment(url, [{ name: 'none', base_url: 'http://127.0.0.1:9' }]),
    LEASE_AMOUNT: '0.000000001',
    ...overrides,
  });
  const pool = createPool({ url, applicationName: 'desk', size: 4 });
  const channel = new NotificationChannel(url, 'desk');
  const leaseDesk = new LeaseDesk(new LeaseStore(pool, config), config, channel);
  await channel.start();
  if (timed) leaseDesk.onApplicationBootstrap();
  const holds: Hold[] = [];
  const desk = {
    hold: async (caller: Caller, amountPicos: bigint) => {
      const hold = await leaseDesk.hold(caller, amountPicos);
      holds.push(hold);
      return hold;
    },
  };
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    for (const hold of holds) hold.release();
    await channel.close();
    await leaseDesk.onApplicationShutdown();
    await pool.end();
  };
  return { desk, pool, stop: () => (stopped ??= stop()) };
}

export const callerOf = ({ accountId, apiKeyId }: TestAccount, limitedKeyId?: string): Caller => ({
  accountId,
  role: 'user',
  apiKey: { id: limitedKeyId ?? apiKeyId, spendLimited: limitedKeyId !== undefined, allowedModels: null },
});

export async function codeOf(hold: Promise<Hold>): Promise<string> {
  const refusal = await hold.then(
    () => null,
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(OpenAiError);
  expect((refusal as OpenAiError).getStatus()).toBe(402);
  return ((refusal as OpenAiError).getResponse() as { error: { code: string } }).error.code;
}
