import { type INestApplication } from '@nestjs/common';
import { type StaffRole } from '@inference/guards';
import { createService } from '@inference/http';
import {
  type Answer,
  holdToContract,
  insertAccount,
  type Issuer,
  rememberEnvironment,
  rememberRequest,
  sendRequest,
  type TestAccount,
  testLog,
  type TestPool,
} from '@inference/testing';
import { parse } from 'lossless-json';
import { AppModule } from '../src/app.module';
import { type RouterCostConfig } from '../src/config';
import { SERVICE_OPTIONS } from '../src/service-options';

export interface Reply extends Omit<Answer, 'body'> {
  /** The JSON body with its numbers as text, digit by digit. */
  json: unknown;
}

export interface RunningService {
  app: INestApplication;
  /** Calls a path with a session cookie (a token) or an API key (`bfvk-…`). */
  get(path: string, credential?: string, headers?: Record<string, string>, method?: string): Promise<Reply>;
}

export async function startRouterCost(
  config: Pick<RouterCostConfig, 'DATABASE_URL' | 'CONSOLE_URL' | 'API_KEY_HASH_SECRET'> &
    Partial<
      Pick<RouterCostConfig, 'NODE_ENV' | 'COOKIE_DOMAIN' | 'SESSION_COOKIE_NAME' | 'CONSOLE_CREDENTIALS'>
    >,
): Promise<RunningService> {
  const whole: RouterCostConfig = {
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: 0,
    NODE_ENV: 'test',
    LOG_LEVEL: 'trace',
    DATABASE_POOL_SIZE: 4,
    RATE_LIMIT_MULTIPLIER: 1,
    SESSION_COOKIE_NAME: 'session',
    STAFF_2FA: 'required',
    ...config,
  };
  const { DATABASE_URL, API_KEY_HASH_SECRET } = whole;
  rememberEnvironment({ DATABASE_URL, API_KEY_HASH_SECRET });
  const options = { ...SERVICE_OPTIONS, logTo: testLog('router-cost') };
  const app = await createService(AppModule.forRoot(whole), whole, options);
  holdToContract(app, 'router-cost');
  await app.listen(whole.PORT, whole.HOST);
  const url = await app.getUrl();
  return {
    app,
    get: async (path, credential, extra = {}, method = 'GET') => {
      const headers = { ...(credential === undefined ? {} : credentialHeader(credential)), ...extra };
      rememberRequest(path, headers);
      const { body, ...answer } = await sendRequest(url, method, path, { headers });
      return { ...answer, json: body === undefined ? undefined : parse(answer.text, undefined, String) };
    },
  };
}

function credentialHeader(credential: string): Record<string, string> {
  if (credential.startsWith('bfvk-')) return { Authorization: `Bearer ${credential}` };
  return { Cookie: `session=${credential}` };
}

/** An account of the staff. Its `apiKey` is the token of a session, because an API key carries no role. */
export async function insertStaff(sql: TestPool, issuer: Issuer, role: StaffRole): Promise<TestAccount> {
  const account = await insertAccount(sql, { role, balancePicos: 10n ** 12n });
  return { ...account, apiKey: (await issuer.signIn(sql, account.accountId)).token };
}
