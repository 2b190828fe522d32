import { Inject, Injectable } from '@nestjs/common';
import { Database, type Sql } from '@inference/database';
import { QUOTAS_CONFIG, type QuotasConfig } from './quotas.config';
import { type QuotaResponse } from './quotas.dto';
import { accountUnknown } from './quotas.errors';

const READ = `
  SELECT coalesce(q.total_tokens, $2::bigint) AS total, coalesce(q.used_tokens, 0) AS used
  FROM accounts.accounts a LEFT JOIN training.quotas q ON q.account_id = a.id WHERE a.id = $1`;
const READ_CHANGES = `
  SELECT from_tokens, to_tokens, changed_by, changed_at FROM training.quota_changes
  WHERE account_id = $1 ORDER BY id DESC LIMIT 50`;
const OPEN = `
  INSERT INTO training.quotas (account_id, total_tokens) SELECT id, NULL FROM accounts.accounts WHERE id = $1
  ON CONFLICT DO NOTHING`;
const LOCK = `
  SELECT coalesce(total_tokens, $2::bigint) AS total FROM training.quotas WHERE account_id = $1 FOR UPDATE`;
const SET = 'UPDATE training.quotas SET total_tokens = $2 WHERE account_id = $1';
const NOTE = `
  INSERT INTO training.quota_changes (account_id, changed_by, from_tokens, to_tokens) VALUES ($1, $2, $3, $4)`;

interface ChangeRow {
  from_tokens: bigint;
  to_tokens: bigint;
  changed_by: string;
  changed_at: Date;
}

@Injectable()
export class QuotasService {
  constructor(
    private readonly database: Database,
    @Inject(QUOTAS_CONFIG) private readonly config: QuotasConfig,
  ) {}

  /** Throws 404 for an unknown account. */
  read(accountId: string): Promise<QuotaResponse> {
    return this.view(this.database, accountId);
  }

  /** Sets the total and records the admin. An equal total changes and records nothing. Throws 404 for an unknown account. */
  setTotal(accountId: string, total: number, adminId: string): Promise<QuotaResponse> {
    return this.database.transaction(async (client) => {
      await client.query(OPEN, [accountId]);
      const { rows } = await client.query<{ total: bigint }>(LOCK, [accountId, this.defaultTotal]);
      const before = rows[0];
      if (!before) throw accountUnknown();
      await client.query(SET, [accountId, total]);
      if (before.total !== BigInt(total)) await client.query(NOTE, [accountId, adminId, before.total, total]);
      return this.view(client, accountId);
    });
  }

  private get defaultTotal(): number {
    return this.config.defaultTotalTokens;
  }

  private async view(sql: Sql, accountId: string): Promise<QuotaResponse> {
    const found = await sql.query<{ total: bigint; used: bigint }>(READ, [accountId, this.defaultTotal]);
    const quota = found.rows[0];
    if (!quota) throw accountUnknown();
    const { rows } = await sql.query<ChangeRow>(READ_CHANGES, [accountId]);
    return {
      account_id: accountId,
      total: Number(quota.total),
      used: Number(quota.used),
      changes: rows.map((row) => ({
        from: Number(row.from_tokens),
        to: Number(row.to_tokens),
        changed_by: row.changed_by,
        changed_at: row.changed_at.toISOString(),
      })),
    };
  }
}
