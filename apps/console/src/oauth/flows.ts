import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { newId, SQL_POOL, type SqlPool } from '@inference/database';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { z } from 'zod';
import { SealedTokens } from '../sealing/sealed-tokens';
import { type Checks } from './providers';

export const FLOW_SECONDS = 600;
/** Longer than the clocks of two hosts may differ. */
const REMEMBERED_SECONDS = 86_400;

const PURPOSE = 'oauth_flow';

const link = z.object({ accountId: z.string(), sessionId: z.string(), credentialsVersion: z.number() });
/** The signed-in account that a flow links an identity to, its session, and what it had shown to be it. */
export type Link = z.output<typeof link>;

const flow = z.object({
  id: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string().nullable(),
  /** Null for a sign-in. */
  link: link.nullable(),
});
export type Flow = z.output<typeof flow>;

const FORGET_OLD = `
  DELETE FROM accounts.oauth_flows_used WHERE id_hash IN (
    SELECT id_hash FROM accounts.oauth_flows_used WHERE expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED)`;
const SPEND = `
  INSERT INTO accounts.oauth_flows_used (id_hash, expires_at) VALUES ($1, now() + make_interval(secs => $2))
  ON CONFLICT DO NOTHING`;

/**
 * A way to a provider and back. It travels sealed in a cookie, so that only the browser that began it can end it, and
 * nothing is stored until it comes back.
 */
@Injectable()
export class OAuthFlows {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly sealed: SealedTokens,
  ) {}

  async begin(
    provider: string,
    returnTo: string | null,
    link: Link | null,
  ): Promise<{ checks: Checks; sealed: string }> {
    const checks = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    const begun: Flow = { id: newId('flow'), ...checks, returnTo, link };
    return { checks, sealed: await this.sealed.seal(PURPOSE, provider, begun, FLOW_SECONDS) };
  }

  /** Null when it was begun elsewhere or with another provider, or too long ago. */
  async open(provider: string, sealed: string): Promise<Flow | null> {
    const claims = await this.sealed.open(PURPOSE, provider, sealed);
    return flow.safeParse(claims).data ?? null;
  }

  /** True once for each flow, whoever else asks at the same time. */
  async spend({ id }: Flow): Promise<boolean> {
    await this.pool.query(FORGET_OLD);
    const hash = createHash('sha256').update(id).digest();
    const { rowCount } = await this.pool.query(SPEND, [hash, REMEMBERED_SECONDS]);
    return rowCount === 1;
  }
}
