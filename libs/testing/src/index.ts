export { createTestDatabase, type ServiceRole, type TestDatabase } from './test-database';
export { type ModelRequest, ScriptedAnswer, ScriptedModel } from './scripted-model';
export { TEST_API_KEY_HASH_SECRET } from './secrets';
export { insertAccount, insertApiKey, type TestAccount } from './accounts';
export { type Environment, serviceEnvironment, startGateway, type TestGateway } from './gateway';
export { type Issuer, startIssuer } from './issuer';
export { publishGpuPrices, publishPrices, type TestPrice } from './prices';
export { waitFor } from './wait-for';
export { testLog, type TestLog } from './test-log';
export { rememberAnswer, rememberEnvironment, rememberRequest, rememberSecret } from './remembered-secrets';
export {
  type Credential,
  type CredentialRow,
  credentialRows,
  TABLED_SERVICES,
  tabledRoutes,
} from './credential-table';
export { registeredRoutes } from './registered-routes';
export { waitForLock } from './wait-for-lock';
