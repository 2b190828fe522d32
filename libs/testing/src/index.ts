export { HOSTILE_NAMES } from './hostile-names';
export {
  TestPool,
  waitForLock,
  createDatabaseOfBuild,
  createTestDatabase,
  type ServiceRole,
  type TestDatabase,
} from './database/test-database';
export { type ModelRequest, ScriptedAnswer, ScriptedModel } from './servers/scripted-model';
export {
  rememberAnswer,
  rememberEnvironment,
  rememberRequest,
  rememberSecret,
  TEST_API_KEY_HASH_SECRET,
  TEST_UPSTREAM_ENCRYPTION_KEY,
} from './secrets/remembered-secrets';
export { insertAccount, insertApiKey, type TestAccount } from './fixtures/accounts';
export { type Environment, serviceEnvironment, startGateway, type TestGateway } from './servers/gateway';
export { type Issuer, startIssuer } from './servers/session-issuer';
export { publishGpuPrices, publishPrices, publishTrainingPrice, type TestPrice } from './fixtures/prices';
export { type Answer, sendRequest } from './servers/http-client';
export { describeWithRedis, RedisServer } from './servers/redis-server';
export { describeWithSwift, SwiftServer } from './servers/swift-server';
export {
  describeWhere,
  findFreePort,
  findFreePortRange,
  isExecutable,
  isFree,
} from './servers/local-servers';
export { REBUILD_MARGINS } from './database/margins';
export { metricsOf, valueOf } from './servers/metrics';
export { waitFor } from './wait-for';
export { dayLasts, hourLasts } from './lasting-periods';
export { longestTurnOf, timesAsLong } from './processor-time';
export { testLog, type TestLog } from './secrets/test-log';
export {
  type Credential,
  type CredentialRow,
  credentialRows,
  TABLED_SERVICES,
  tabledRoutes,
} from './routes/credential-table';
export {
  API_KEY_ROWS,
  type ApiKeyRow,
  KEY_HOLDERS,
  type KeyHolder,
  type Sight,
} from './routes/api-key-table';
export { registeredOperations, registeredRoutes } from './routes/registered-routes';
export { pointer, ResponseChecker, SchemaChecker } from './contract/response-checker';
export { holdToContract } from './contract/contract';
export { holdProcessToContract } from './contract/process-contract';
export { takeContractFaults } from './contract/contract-results';
export {
  type ApiDocument,
  type DocumentedContent,
  documentedOperations,
  documentedPath,
  findResponse,
  readApiDocument,
} from './contract/api-document';
