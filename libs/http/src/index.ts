export { createService, type ServiceConfig, type ServiceOptions, startService } from './service';
export { SHUTDOWN_OPTIONS } from './shutdown';
export { type AllowedOrigins } from './cors';
export { ServiceModule } from './service.module';
export { PerRoute, Public, PUBLIC } from './per-route';
export {
  type DescribedError,
  describeError,
  ErrorFilter,
  RETRY_AFTER_ONE_SECOND,
  DetailedException,
  TooManyRequestsException,
  UnavailableException,
} from './errors/error.filter';
export {
  addressGroup,
  BodyReader,
  holderOf,
  holdMore,
  keepingBody,
  requireConnected,
} from './bodies/body-reader';
export { allowedMillis, BodyMemory, LEAST_BYTES_PER_SECOND, watchArrival } from './bodies/body-memory';
export { AmbiguousCookieException, readCookie } from './read-cookie';
export { csvLine, exactCsvLine } from './bodies/long-list';
export { listAsCsv, listAsJson, type LongList, longListOf } from './bodies/long-list';
export { drained, endStalled, streamTo } from './bodies/unread-bodies';
export { createLogger, NestLogger } from './logging/logging';
export { logFailure } from './logging/request-logger';
export { FastPath } from './fast-path';
export { JsonFault } from './json/json-bytes';
export {
  jsonSteps,
  readJson,
  type ReadJson,
  readJsonInSlices,
  withoutByteOrderMark,
} from './json/json-reader';
export { JsonText, RawJson, writeJson } from './json/json-writer';
export { AT_ONCE_BYTES, atOnce, type SteppedWork, workInSlices } from './json/slices';
export { type JsonMember } from './json/json-scanner';
export { ENTRIES, EVERY, type NameTree, UniqueNames } from './json/unique-names';
export { ExactJsonInterceptor } from './bodies/exact-json.interceptor';
export { HealthController, PROCESS_STARTED_AT, STARTED_AT_HEADER } from './health.controller';
export { MetricsServer } from './metrics/metrics-server';
export { BodyAs, bodyRuleOf } from './bodies/body.guard';
export { type CallLimit, RefusedCalls } from './refused-calls';
export { Metrics } from './metrics/metrics';
export { addDatabaseGauges } from './metrics/sampled-gauges';
export { ANY_QUERY, AnyQuery } from './validation/unexpected-input.guards';
export { Idempotency, IdempotencyHeaders } from './validation/idempotency';
export { decodeCursor, encodeCursor, PageQuery, readPage } from './page';
export { type Position } from '@inference/database';
