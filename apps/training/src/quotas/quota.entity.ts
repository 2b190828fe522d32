import { BigIntColumn } from '@inference/database';
import { Check, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** How many tokens an account may use for training, and has used. */
@Entity('quotas', { schema: 'training' })
@Check('quotas_total_tokens_check', 'total_tokens >= 0')
@Check('quotas_used_tokens_check', 'used_tokens >= 0')
export class Quota {
  @ForeignKey('accounts')
  @PrimaryColumn('text')
  accountId!: string;

  /** Null: the default of the service. */
  @BigIntColumn({ nullable: true })
  totalTokens!: bigint | null;

  @BigIntColumn({ default: 0 })
  usedTokens!: bigint;
}
