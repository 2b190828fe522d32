import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Site } from '@inference/config';
import { SESSION_AUDIENCE, sessionIssuer } from '@inference/guards';
import { newId, type Executor } from '@inference/database';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Signs sessions and publishes its public key, like the console. */
export interface Issuer {
  url: string;
  /** Stores a session of the account, by default with a second factor, and returns its token. A negative `lifetimeSeconds` gives an expired token. */
  signIn(
    sql: Executor,
    accountId: string,
    options?: { site?: Site; lifetimeSeconds?: number; secondFactor?: 'totp' | null },
  ): Promise<Session>;
  close(): Promise<void>;
}

export interface Session {
  id: string;
  token: string;
}

const KEY_ID = 'test-key';

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'ES256' }] });
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/.well-known/jwks.json' ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(jwks);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signIn: async (
      sql,
      accountId,
      { site = 'intl', lifetimeSeconds = 1_800, secondFactor = 'totp' } = {},
    ) => {
      const id = newId('ses');
      await sql.query(
        "INSERT INTO accounts.sessions (id, account_id, expires_at, second_factor) VALUES ($1, $2, now() + interval '1 day', $3)",
        [id, accountId, secondFactor],
      );
      const token = await new SignJWT({
        sub: accountId,
        sid: id,
        iss: sessionIssuer(site),
        aud: SESSION_AUDIENCE,
      })
        .setProtectedHeader({ alg: 'ES256', kid: KEY_ID })
        .setExpirationTime(Math.floor(Date.now() / 1000) + lifetimeSeconds)
        .sign(privateKey);
      return { id, token };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
