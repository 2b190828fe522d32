import { BigIntColumn } from '@inference/database';
import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

@Entity('segments', { schema: 'memo' })
@Index('segments_version', ['documentId', 'version'], { where: 'workspace_id IS NULL' })
@Index('segments_workspace', ['workspaceId'], { where: 'workspace_id IS NOT NULL' })
@Check('segments_check', '(workspace_id IS NULL) = (first_chunk IS NULL)')
export class Segment {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  workspaceId!: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  documentId!: string | null;

  @Column('integer', { nullable: true })
  version!: number | null;

  @BigIntColumn({ nullable: true })
  firstChunk!: bigint | null;

  @Column('bytea')
  numbers!: Buffer;

  @Column('integer')
  chunks!: number;

  @BigIntColumn()
  words!: bigint;

  @Column('bytea')
  lengths!: Buffer;

  @Column('json')
  languages!: unknown;
}
