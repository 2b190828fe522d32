import { randomBytes } from 'node:crypto';
import { type INestApplication } from '@nestjs/common';
import { createService } from '@inference/http';
import { parseExact } from '@inference/money';
import {
  type Answer,
  holdToContract,
  rememberEnvironment,
  rememberRequest,
  sendRequest,
  TEST_API_KEY_HASH_SECRET,
  testLog,
} from '@inference/testing';
import { AppModule } from './app.module';
import { readTrainingConfig } from './config';
import { SERVICE_OPTIONS } from './service-options';

export const TRAINER_SECRET = randomBytes(24).toString('hex');
export const DEFAULT_QUOTA = 1_000_000;
export const CAPABILITIES = '/v1/capabilities';
export const USAGE = '/v1/internal/usage';

export interface Reply extends Answer {
  body: { code: number; data: Record<string, unknown>; message: string };
}

export interface RunningTraining {
  app: INestApplication;
  /** @param credential API key, session token or service secret, sent as Bearer. `content` is sent as JSON, a string unchanged. */
  call(
    method: string,
    path: string,
    credential?: string,
    content?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>;
}

/** Starts the complete service in this process. */
export async function startTraining(environment: Record<string, string>): Promise<RunningTraining> {
  const whole = {
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: '0',
    NODE_ENV: 'test',
    LOG_LEVEL: 'trace',
    DATABASE_POOL_SIZE: '4',
    CONSOLE_URL: 'http://127.0.0.1:1',
    API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
    TRAINER_CREDENTIALS: TRAINER_SECRET,
    TRAINING_DEFAULT_QUOTA_TOKENS: String(DEFAULT_QUOTA),
    ...environment,
  };
  rememberEnvironment(whole);
  const config = readTrainingConfig(whole);
  const app = await createService(AppModule.forRoot(config), config, {
    ...SERVICE_OPTIONS,
    logTo: testLog('training'),
  });
  holdToContract(app, 'training');
  await app.listen(config.PORT, config.HOST);
  const url = await app.getUrl();
  return {
    app,
    call: async (method, path, credential, content, extra = {}) => {
      const headers = {
        ...(credential !== undefined && { Authorization: `Bearer ${credential}` }),
        ...(content !== undefined && { 'Content-Type': 'application/json' }),
        ...extra,
      };
      rememberRequest(path, headers);
      const answer = await sendRequest(url, method, path, {
        headers,
        ...(content !== undefined && {
          content: typeof content === 'string' ? content : JSON.stringify(content),
        }),
      });
      return answer as Reply;
    },
  };
}

/** Returns the data of a response with its numbers as strings, so that no digit is lost. */
export function exactData<Data>({ text }: Reply): Data {
  const { data } = parseExact(text) as { data: object };
  return JSON.parse(
    JSON.stringify(data, (_name, value: unknown) =>
      value !== null && typeof value === 'object' && 'isLosslessNumber' in value ? String(value) : value,
    ),
  ) as Data;
}
