import { Inject, Injectable } from '@nestjs/common';
import { newId, SQL_POOL, type SqlPool } from '@inference/database';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';

export interface Draw {
  accountId: string;
  /** Set when the key has a spending limit. */
  limitedKeyId: string | null;
  currentLeaseId: string | null;
  needPicos: bigint;
  wantPicos: bigint;
}

export type DrawResult =
  | { leaseId: string; grantedPicos: bigint }
  | { refusal: 'balance' | 'key_limit'; /** Money that other leases hold. */ elsewherePicos: bigint };

/** Asks a holder in another process to give back what it does not need. */
export const RECALL_CHANNEL = 'lease_recall';

/** The database's side of leases (functions of the schema `wallet`). */
@Injectable()
export class LeaseStore {
  private readonly holder = newId('gw');

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  async draw(draw: Draw): Promise<DrawResult> {
    const { rows } = await this.pool.query<{
      lease_id: string | null;
      granted_picos: bigint;
      refusal: 'balance' | 'key_limit';
      elsewhere_picos: bigint | null;
    }>('SELECT * FROM wallet.draw_lease($1, $2, $3, $4, $5, $6, $7, $8)', [
      draw.accountId,
      draw.limitedKeyId,
      draw.currentLeaseId,
      newId('lse'),
      this.holder,
      draw.needPicos,
      draw.wantPicos,
      this.config.LEASE_TTL_SECONDS,
    ]);
    const row = rows[0]!;
    if (row.lease_id === null) return { refusal: row.refusal, elsewherePicos: row.elsewhere_picos ?? 0n };
    return { leaseId: row.lease_id, grantedPicos: row.granted_picos };
  }

  /** The ids of those leases that still stand, now with a full life. */
  async renew(ids: string[]): Promise<Set<string>> {
    const { rows } = await this.pool.query<{ id: string }>('SELECT wallet.renew_leases($1, $2) AS id', [
      ids,
      this.config.LEASE_TTL_SECONDS,
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  async giveBack(id: string, amountPicos: bigint, close: boolean): Promise<void> {
    await this.pool.query('SELECT wallet.return_lease($1, $2, $3)', [id, amountPicos, close]);
  }

  async recall(accountId: string): Promise<void> {
    await this.pool.query('SELECT pg_notify($1, $2)', [RECALL_CHANNEL, accountId]);
  }
}
