import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

export const MODEL_STATES = ['offered', 'hidden', 'retired'] as const;
export type ModelState = (typeof MODEL_STATES)[number];

export const OUTPUT_LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens'] as const;
export type OutputLimitField = (typeof OUTPUT_LIMIT_FIELDS)[number];

export const MODALITIES = ['text', 'image', 'audio', 'video', 'embedding'] as const;
export type Modality = (typeof MODALITIES)[number];

/** In what words a model server is called: OpenAI's chat completions and their siblings, OpenAI's Responses, Anthropic's Messages. */
export const UPSTREAM_PROTOCOLS = ['chat', 'responses', 'messages'] as const;
export type UpstreamProtocol = (typeof UPSTREAM_PROTOCOLS)[number];

/** In the place of a slug: every model that has no row of its own. */
export const EVERY_MODEL = '*';

/** What is known of a model beside its prices. */
@Entity('models', { schema: 'serving' })
@Unique('models_slug_key', ['slug'])
@Check('models_context_tokens_check', 'context_tokens > 0')
@Check('models_max_output_tokens_check', 'max_output_tokens > 0')
@Check('models_output_limit_field_check', "output_limit_field IN ('max_tokens', 'max_completion_tokens')")
@Check('models_state_check', "state IN ('offered', 'hidden', 'retired')")
export class ServedModel {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @Column('text')
  slug!: string;

  @Column('text', { nullable: true })
  name!: string | null;

  @Column('integer', { nullable: true })
  contextTokens!: number | null;

  @Column('integer', { nullable: true })
  maxOutputTokens!: number | null;

  /** Null: not known. */
  @Column('text', { nullable: true, array: true })
  inputModalities!: Modality[] | null;

  @Column('text', { nullable: true, array: true })
  outputModalities!: Modality[] | null;

  /** The field in which the model's servers accept the limit of an answer. */
  @Column('text', { default: 'max_tokens' })
  outputLimitField!: OutputLimitField;

  /** Further names under which it is called. */
  @Column('text', { array: true, default: () => "'{}'" })
  aliases!: string[];

  /** Slugs of the models that answer if no upstream of this one does, in order. */
  @Column('text', { array: true, default: () => "'{}'" })
  fallbacks!: string[];

  @Column('text', { default: 'offered' })
  state!: ModelState;

  /** The slug that is proposed instead of a retired one. */
  @Column('text', { nullable: true })
  successor!: string | null;

  /** The digest of the configuration that made the row; null once an operator has made or changed it. */
  @Column('text', { nullable: true })
  filledDigest!: string | null;

  /** Grows by one with each change. */
  @Column('integer', { default: 1 })
  version!: number;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}

export const UPSTREAM_STATES = ['active', 'draining', 'off'] as const;
export type UpstreamState = (typeof UPSTREAM_STATES)[number];

/** A model server. */
@Entity('upstreams', { schema: 'serving' })
@Unique('upstreams_name_key', ['name'])
@Check('upstreams_state_check', "state IN ('active', 'draining', 'off')")
@Check(
  'upstreams_protocols_check',
  "cardinality(protocols) > 0 AND protocols <@ ARRAY['chat', 'responses', 'messages']",
)
@Check('upstreams_requests_per_minute_check', 'requests_per_minute > 0')
@Check('upstreams_tokens_per_minute_check', 'tokens_per_minute > 0')
@Check('upstreams_concurrency_check', 'concurrency > 0')
@Check('upstreams_connect_timeout_ms_check', 'connect_timeout_ms > 0')
@Check('upstreams_first_byte_timeout_ms_check', 'first_byte_timeout_ms > 0')
@Check('upstreams_idle_timeout_ms_check', 'idle_timeout_ms > 0')
export class StoredUpstream {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  /** As usage events name it. */
  @Column('text')
  name!: string;

  /** Root of its API, such as http://127.0.0.1:8000/v1. */
  @Column('text')
  baseUrl!: string;

  @Column('text', { nullable: true })
  region!: string | null;

  /** The header of the credential; `authorization` has it as a Bearer token. */
  @Column('text', { default: 'authorization' })
  credentialHeader!: string;

  /** What it speaks. A chat in another protocol is translated. */
  @Column('text', { array: true, default: () => "'{chat}'" })
  protocols!: UpstreamProtocol[];

  @Column('text', { default: 'active' })
  state!: UpstreamState;

  /** Of all gateways together. Null: no limit. */
  @Column('integer', { nullable: true })
  requestsPerMinute!: number | null;

  @BigIntColumn({ nullable: true })
  tokensPerMinute!: bigint | null;

  @Column('integer', { nullable: true })
  concurrency!: number | null;

  /** Null: as the gateway is configured. */
  @Column('integer', { nullable: true })
  connectTimeoutMs!: number | null;

  @Column('integer', { nullable: true })
  firstByteTimeoutMs!: number | null;

  @Column('integer', { nullable: true })
  idleTimeoutMs!: number | null;

  @Column('text', { nullable: true })
  filledDigest!: string | null;

  @Column('integer', { default: 1 })
  version!: number;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}

/** The newest one of an upstream is used; the others are used when it is refused. */
@Entity('upstream_credentials', { schema: 'serving' })
@Index('upstream_credentials_upstream', ['upstreamId'])
export class UpstreamCredential {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @ForeignKey(() => StoredUpstream, { onDelete: 'CASCADE' })
  @Column('text')
  upstreamId!: string;

  /** Encrypted with a key of console and gateway. */
  @Column('text')
  sealed!: string;

  /** The last characters, for people. */
  @Column('text')
  hint!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

/** A model that an upstream serves. */
@Entity('upstream_models', { schema: 'serving' })
@Check('upstream_models_weight_check', 'weight BETWEEN 0 AND 1000')
@Check('upstream_models_priority_check', 'priority BETWEEN 0 AND 1000')
export class UpstreamModel {
  @ForeignKey(() => StoredUpstream, { onDelete: 'CASCADE' })
  @PrimaryColumn('text')
  upstreamId!: string;

  /** A slug, or EVERY_MODEL. */
  @PrimaryColumn('text')
  model!: string;

  /** The upstream's own name of the model; null: the slug. */
  @Column('text', { nullable: true })
  upstreamName!: string | null;

  /** Share of the calls among the upstreams with the same priority. */
  @Column('integer', { default: 100 })
  weight!: number;

  /** The lowest one is called first. */
  @Column('integer', { default: 0 })
  priority!: number;
}

/** What a running gateway sees of one upstream. */
export interface UpstreamReport {
  upstreamId: string;
  /** Calls that run. */
  running: number;
  /** Whether it answered when it was last asked. Null: not asked yet. */
  isUp: boolean | null;
  /** Models whose calls are kept from it. */
  openModels: string[];
  /** In the last minute. */
  calls: number;
  failures: number;
  /** Mean time to the first byte in the last minute; null without an answer. */
  firstByteMs: number | null;
  /** Those with calls or output in the last minute. */
  models: ModelReport[];
}

/** What a running gateway has seen of one model of an upstream in the last minute. */
interface ModelReport extends Pick<UpstreamReport, 'calls' | 'failures' | 'firstByteMs'> {
  model: string;
  outputTokens: number;
}

/** A part of the directory that a configuration has filled once. */
@Entity('fillings', { schema: 'serving' })
export class Filling {
  @PrimaryColumn('text')
  part!: 'models' | 'upstreams';

  @TimeColumn({ default: () => 'clock_timestamp()' })
  filledAt!: Date;
}

/** What a running gateway sees of the upstreams. */
@Entity('gateway_reports', { schema: 'serving' })
export class GatewayReport {
  @PrimaryColumn('text', { collation: 'C' })
  gatewayId!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  reportedAt!: Date;

  @Column('json')
  upstreams!: UpstreamReport[];
}

export const SERVING_ENTITIES = [
  ServedModel,
  StoredUpstream,
  UpstreamCredential,
  UpstreamModel,
  Filling,
  GatewayReport,
];
