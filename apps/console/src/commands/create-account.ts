import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { CURRENCY_BY_SITE, env, loadConfig } from '@inference/config';
import { Database, PoolDataSource } from '@inference/database';
import { z } from 'zod';
import { emailField } from '../accounts/account-fields';
import { ROLES } from '@inference/guards';
import {
  findForLogin,
  insertAccount,
  lockAdmins,
  readAccount,
  setRole,
} from '../accounts/accounts.repository';
import { recordAuditEvent } from '../accounts/audit-log/audit-log';
import { SITE_LANGUAGE } from '../accounts/languages';
import { ENTITIES } from '../entities';
import { announceAdmin } from '../identity/admin-accounts/admin-accounts.service';
import { hashPassword, PasswordHasher } from '../identity/passwords/password-hasher';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../identity/passwords/passwords.dto';
import { faultOfPassword } from '../identity/passwords/refused-passwords';

/**
 * Makes an account even if sign-up is closed, or gives an existing one its role:
 *   create-account --email <address> --role <role> [--existing] < file-with-the-password
 * Reads DATABASE_URL and SITE. An existing account keeps its password. Somebody else may have registered the address,
 * so it gets the role only if the password matches, or if `--existing` is given and its address is confirmed.
 */
const environment = z.object({ SITE: env.site(), DATABASE_URL: env.database.DATABASE_URL });

const input = z.object({
  email: emailField,
  role: z.enum(ROLES, `must be one of ${ROLES.join(', ')}`),
  password: z
    .string()
    .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
    .max(MAX_PASSWORD_LENGTH, `must have at most ${MAX_PASSWORD_LENGTH} characters`),
  existing: z.boolean(),
});

async function readInput(): Promise<z.output<typeof input>> {
  const { values } = parseArgs({
    options: { email: { type: 'string' }, role: { type: 'string' }, existing: { type: 'boolean' } },
  });
  const { email = '', role = '', existing = false } = values;
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  const result = input.safeParse({ email, role, password, existing });
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path: [name], message }) =>
    name === 'password' ? `the password (on standard input) ${message}` : `--${String(name)} ${message}`,
  );
  throw new Error(faults.join('\n'));
}

async function createAccount(): Promise<string> {
  const { SITE, DATABASE_URL } = loadConfig(environment);
  const { email, role, password, existing } = await readInput();
  const options = { url: DATABASE_URL, applicationName: 'create-account', size: 1 };
  const database = new Database(await new PoolDataSource(options, ENTITIES).initialize());
  try {
    const passwordHash = await hashPassword(password);
    const id = await database.transaction(async (transaction) => {
      const language = SITE_LANGUAGE[SITE];
      const made = await insertAccount(
        transaction,
        { email, emailVerified: true, passwordHash, role, language },
        CURRENCY_BY_SITE[SITE],
      );
      const event = { accountId: made, actorId: null, origin: null, details: { role } };
      if (made === null) return null;
      // Not before: an account that exists keeps its password, which may have been set when the rule was another.
      const fault = faultOfPassword(password, { email });
      if (fault !== null) throw new Error(`the password (on standard input) ${fault}`);
      await recordAuditEvent(transaction, { type: 'account.created', ...event });
      if (role === 'admin')
        await announceAdmin(transaction, { accountId: made, appointedBy: null, origin: null });
      return made;
    });
    if (id !== null) return `Made ${email} (${id}) with the role ${role}.`;
    const account = await findForLogin(database, email);
    const isOwners = await new PasswordHasher().matches(account?.passwordHash ?? null, password);
    if (!existing && !isOwners)
      throw new Error(
        `${email} exists already, with another password; --existing gives it the role nevertheless.`,
      );
    await database.transaction(async (transaction) => {
      // In the order of the console, which changes roles too.
      if (account) await lockAdmins(transaction, account.id);
      const isConfirmed = account !== null && (await readAccount(transaction, account.id))?.emailVerified;
      if (role !== 'user' && !isOwners && !isConfirmed)
        throw new Error(
          `${email} exists already, with another password and an address that nobody has confirmed.`,
        );
      const before = account && (await setRole(transaction, account.id, role));
      if (!before || before === role) return;
      const event = {
        accountId: account.id,
        actorId: null,
        origin: null,
        details: { from: before, to: role },
      };
      await recordAuditEvent(transaction, { type: 'account.role_changed', ...event });
      if (role === 'admin')
        await announceAdmin(transaction, { accountId: account.id, appointedBy: null, origin: null });
    });
    return `${email} exists already; its role is ${role}.`;
  } finally {
    await database.close();
  }
}

createAccount().then(
  (message) => console.log(message),
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
