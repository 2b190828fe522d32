import { Inject, Injectable } from '@nestjs/common';
import { Database, newId } from '@inference/database';
import { LEASES_CONFIG, type LeasesConfig } from './leases.config';

export interface Draw {
  accountId: string;
  /** Set when the key has a spending limit. */
  limitedKeyId: string | null;
  currentLeaseId: string | null;
  needPicos: bigint;
  wantPicos: bigint;
}

/** A grant, or the reason for which the wallet or the key's limit does not cover `needPicos`. */
export type DrawResult =
  | { leaseId: string; grantedPicos: bigint }
  | { refusal: 'balance' | 'key_limit'; otherLeasesPicos: bigint };

/** Money that is in no lease. */
export interface FreeMoney {
  walletPicos: bigint;
  /** What the spending limit of the key leaves; null without one. */
  limitPicos: bigint | null;
}

/** NOTIFY channel that asks other gateways to return money of an account that they do not need; the payload is the account id. */
export const RECALL_CHANNEL = 'lease_recall';

const DRAW = `
  SELECT lease_id AS "leaseId", granted_picos AS "grantedPicos", refusal, elsewhere_picos AS "otherLeasesPicos"
  FROM wallet.draw_lease($1, $2, $3, $4, $5, $6, $7, $8)`;
const FREE = 'SELECT in_wallet AS "walletPicos", under_limit AS "limitPicos" FROM wallet.free_money($1, $2)';
const RENEW = 'SELECT wallet.renew_leases($1, $2) AS id';
const RETURN_MONEY = 'SELECT wallet.return_lease($1, $2, $3)';
const RECALL = 'SELECT pg_notify($1, $2)';

/** Leases in the database, through the functions of the schema `wallet`. */
@Injectable()
export class LeaseRepository {
  private readonly holder = newId('gw');

  constructor(
    private readonly database: Database,
    @Inject(LEASES_CONFIG) private readonly config: LeasesConfig,
  ) {}

  /** Draws at least `needPicos` and at most `wantPicos` into the current lease or a new one. */
  async draw(draw: Draw): Promise<DrawResult> {
    const { rows } = await this.database.query<{
      leaseId: string | null;
      grantedPicos: bigint;
      refusal: 'balance' | 'key_limit';
      otherLeasesPicos: bigint | null;
    }>(DRAW, [
      draw.accountId,
      draw.limitedKeyId,
      draw.currentLeaseId,
      newId('lse'),
      this.holder,
      draw.needPicos,
      draw.wantPicos,
      this.config.ttlSeconds,
    ]);
    const { leaseId, grantedPicos, refusal, otherLeasesPicos } = rows[0]!;
    if (leaseId === null) return { refusal, otherLeasesPicos: otherLeasesPicos ?? 0n };
    return { leaseId, grantedPicos };
  }

  /** Reads what could still be drawn; there is none without a wallet. */
  async readFree(accountId: string, limitedKeyId: string | null): Promise<FreeMoney> {
    const { rows } = await this.database.query<FreeMoney>(FREE, [accountId, limitedKeyId]);
    return rows[0] ?? { walletPicos: 0n, limitPicos: null };
  }

  /** Extends the leases by a full TTL. Returns the ids of those that still exist. */
  async renew(ids: string[]): Promise<Set<string>> {
    const { rows } = await this.database.query<{ id: string }>(RENEW, [ids, this.config.ttlSeconds]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns money of a lease to its wallet; `close` ends the lease. */
  async returnMoney(id: string, amountPicos: bigint, close: boolean): Promise<void> {
    await this.database.query(RETURN_MONEY, [id, amountPicos, close]);
  }

  /** Asks the other gateways to return money of this account. */
  async recall(accountId: string): Promise<void> {
    await this.database.query(RECALL, [RECALL_CHANNEL, accountId]);
  }
}
