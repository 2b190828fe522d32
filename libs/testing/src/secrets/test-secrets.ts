/** Secrets that only the tests use. */
export const TEST_API_KEY_HASH_SECRET = 'test-only-api-key-hash-secret-0123456789';
export const testRolePassword = (role: string) => `test-only-database-password-of-${role}`;
