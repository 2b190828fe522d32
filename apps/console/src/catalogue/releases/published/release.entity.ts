import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('releases', { schema: 'catalogue' })
@Index('releases_followed', ['component'], { unique: true, where: "source = 'code_host'" })
@Check('releases_assets_check', "jsonb_typeof(assets) = 'array'")
@Check('releases_check', 'draft OR published_at IS NOT NULL')
@Check('releases_component_check', "component IN ('engine', 'router', 'agent', 'memo')")
@Check('releases_source_check', "source IN ('admin', 'code_host')")
export class Release {
  @PrimaryColumn('text')
  component!: string;

  @PrimaryColumn('text')
  tagName!: string;

  @PrimaryColumn('text')
  source!: string;

  @Column('text')
  name!: string;

  @Column('boolean')
  draft!: boolean;

  @Column('boolean')
  prerelease!: boolean;

  @Column('jsonb')
  assets!: unknown;

  @TimeColumn({ nullable: true })
  publishedAt!: Date | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  changedAt!: Date;
}
