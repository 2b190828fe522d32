import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { type Component } from '../../component';
import { type ReleaseAsset } from '../release-asset';

/** Where a release was published: by an admin here, or at the code host that is followed. */
export type ReleaseSource = 'admin' | 'code_host';

/** A release of a component. A component has at most one that is followed. */
@Entity('releases', { schema: 'catalogue' })
@Index('releases_followed', ['component'], { unique: true, where: "source = 'code_host'" })
@Check('releases_assets_check', "jsonb_typeof(assets) = 'array'")
@Check('releases_check', 'draft OR published_at IS NOT NULL')
@Check('releases_component_check', "component IN ('engine', 'router', 'agent', 'memo')")
@Check('releases_source_check', "source IN ('admin', 'code_host')")
export class Release {
  @PrimaryColumn('text')
  component!: Component;

  @PrimaryColumn('text')
  tagName!: string;

  @PrimaryColumn('text')
  source!: ReleaseSource;

  @Column('text')
  name!: string;

  @Column('boolean')
  draft!: boolean;

  @Column('boolean')
  prerelease!: boolean;

  @Column('jsonb')
  assets!: ReleaseAsset[];

  /** Null for a draft that was never published. */
  @TimeColumn({ nullable: true })
  publishedAt!: Date | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  changedAt!: Date;
}
