import { type INestApplication } from '@nestjs/common';
import { createService } from '@inference/http';
import {
  type Answer,
  holdToContract,
  rememberEnvironment,
  rememberRequest,
  sendRequest,
  testLog,
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
