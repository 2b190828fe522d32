import { createService } from '@inference/http';
import {
  registeredOperations,
  documentedOperations,
  registeredRoutes,
  tabledRoutes,
  TEST_API_KEY_HASH_SECRET,
} from '@inference/testing';
import { AppModule } from './app.module';
import { readMemoConfig } from './config';
import { SERVICE_OPTIONS } from './service-options';

/** No database and no other service is needed. */
const ENVIRONMENT = {
  SITE: 'intl',
  PORT: '0',
  LOG_LEVEL: 'silent',
  DATABASE_URL: 'postgres://u:p@127.0.0.1:1/none',
  CONSOLE_URL: 'http://127.0.0.1:1',
  API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  GATEWAY_URL: 'http://127.0.0.1:1',
  GATEWAY_CREDENTIAL: 'no-gateway-is-asked-with-this-0123456789',
  INGESTION_WORKERS: '0',
};

test('every route is in the table of credentials', async () => {
  const config = readMemoConfig(ENVIRONMENT);
  const app = await createService(AppModule.forRoot(config), config, SERVICE_OPTIONS);
  await app.init();
  expect(registeredRoutes(app)).toEqual(tabledRoutes('memo'));
  expect(registeredOperations(app)).toEqual(documentedOperations('memo'));
  await app.close();
});
