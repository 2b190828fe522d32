import { TimeColumn } from '@inference/database';
import { Session } from '@inference/guards';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** The refresh token of a session. Its value is replaced with every use; only hashes (SHA-256) are stored. */
@Entity('refresh_tokens', { schema: 'accounts' })
@Index('refresh_tokens_series', ['seriesHash'], { unique: true })
@Check(
  'refresh_tokens_check',
  '(former_hash IS NULL) = (replaced_at IS NULL) AND (successor_salt IS NULL) = (replaced_at IS NULL)',
)
export class RefreshToken {
  @ForeignKey(() => Session, { onDelete: 'CASCADE' })
  @PrimaryColumn('text')
  sessionId!: string;

  /** Of the part that all values of the token share. */
  @Column('bytea')
  seriesHash!: Buffer;

  /** Of the present value. */
  @Column('bytea')
  valueHash!: Buffer;

  /** Of the value before the present one; null until the first replacement. */
  @Column('bytea', { nullable: true })
  formerHash!: Buffer | null;

  /** Turns the former value into the present one. */
  @Column('bytea', { nullable: true })
  successorSalt!: Buffer | null;

  /** When the present value replaced the former one. */
  @TimeColumn({ nullable: true })
  replacedAt!: Date | null;

  /** When a request last got a value: the sign-in, or a refresh. */
  @TimeColumn({ default: () => 'now()' })
  usedAt!: Date;

  /** The IP address of that request; null if it is unknown. */
  @Column('text', { nullable: true })
  address!: string | null;

  /** The program that sent that request; null if it is unknown. */
  @Column('text', { nullable: true })
  userAgent!: string | null;
}
