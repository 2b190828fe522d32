export { createTestDatabase, type ServiceRole, type TestDatabase } from './test-database';
export { TEST_API_KEY_HASH_SECRET } from './secrets';
export { insertAccount, insertApiKey, type TestAccount } from './accounts';
export { publishPrices, type TestPrice } from './prices';
export { waitFor } from './wait-for';
