export { createPool, type Sql, type SqlPool } from './pool';
export { inTransaction } from './transaction';
export { DatabaseModule, SQL_POOL } from './database.module';
export { NotificationChannel, type NotificationHandler } from './notification-channel';
export { isDatabaseUnavailable } from './unavailable';
export { firstIdAt, newId, randomBase62 } from './id';
export { JOB_SCHEMAS } from './job-schemas';
