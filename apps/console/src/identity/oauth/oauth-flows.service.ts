import { createHash } from 'node:crypto';
import { Database, newId } from '@inference/database';
import { Injectable } from '@nestjs/common';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { z } from 'zod';
import { type LinkRequest } from '../identities/identities.service';
import { type AuthorizationChecks } from '../oauth-provider.gateway';
import { SealedTokens } from '../sealed-tokens';
import { deleteExpiredFlows, insertUsedFlow } from './used-oauth-flows.repository';

/** How long a user may take at the provider. */
export const FLOW_SECONDS = 600;
/**
 * How long the id of a used flow is stored. It must exceed FLOW_SECONDS plus the difference between the clocks of two
 * hosts, because a flow that is forgotten earlier could be used again.
 */
const USED_FLOW_RETENTION_SECONDS = 86_400;

const PURPOSE = 'oauth_flow';

const link = z.object({
  accountId: z.string(),
  sessionId: z.string(),
  credentialsVersion: z.number(),
}) satisfies z.ZodType<LinkRequest>;

const flow = z.object({
  id: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string().nullable(),
  /** The account to link an identity to; null for a sign-in. */
  link: link.nullable(),
});
export type Flow = z.output<typeof flow>;

/**
 * The authorization code flows that are under way. The state of a flow is in an encrypted cookie, so that only the
 * browser that began it can finish it, and nothing is stored until it returns.
 */
@Injectable()
export class OAuthFlowsService {
  constructor(
    private readonly database: Database,
    private readonly sealed: SealedTokens,
  ) {}

  async begin(
    provider: string,
    returnTo: string | null,
    link: LinkRequest | null,
  ): Promise<{ checks: AuthorizationChecks; sealed: string }> {
    const checks = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    const started: Flow = { id: newId('flow'), ...checks, returnTo, link };
    return { checks, sealed: await this.sealed.seal(PURPOSE, provider, started, FLOW_SECONDS) };
  }

  /** Returns null if the flow was begun with another provider, has expired, or is forged. */
  async open(provider: string, sealed: string): Promise<Flow | null> {
    const claims = await this.sealed.open(PURPOSE, provider, sealed);
    return flow.safeParse(claims).data ?? null;
  }

  /** Marks a flow as used. Returns true for the first call with a flow and false for all later or concurrent ones. */
  async markUsed({ id }: Flow): Promise<boolean> {
    await deleteExpiredFlows(this.database);
    const hash = createHash('sha256').update(id).digest();
    return insertUsedFlow(this.database, hash, USED_FLOW_RETENTION_SECONDS);
  }
}
