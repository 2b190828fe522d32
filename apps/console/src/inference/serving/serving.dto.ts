import {
  FlagParameter,
  IdField,
  IntegerField,
  LineField,
  TextField,
  ChoiceField,
  IntegerParameter,
  InstantProperty,
  ObjectListField,
  TextListField,
} from '@inference/dto';
import {
  EVERY_MODEL,
  UPSTREAM_PROTOCOLS,
  UPSTREAM_STATES,
  type UpstreamProtocol,
  type UpstreamState,
} from '@inference/serving';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';

export const SLUG = /^[A-Za-z0-9][A-Za-z0-9._/:+=-]{0,199}$/;
export const SLUG_MESSAGE = 'must have 1 to 200 letters, digits and . _ / : + = -, a letter or digit first';
export const SLUG_OR_EVERY = new RegExp(`${SLUG.source}|^\\*$`);
export const OPTIONAL = { optional: true, nullable: true };
export const MAX_TOKENS = 2_000_000_000;
const MAX_TIMEOUT_MS = 3_600_000;

/** How a change is made. */
export class VersionQuery {
  @IntegerParameter({
    description: 'The `version` that the change is based on. Another one is 409. Absent: whichever it is.',
    min: 1,
    max: 2_000_000_000,
    optional: true,
  })
  version?: number;
}

export class ChangeQuery extends VersionQuery {
  @FlagParameter({
    description: 'True answers what would be stored and stores nothing.',
    optional: true,
    default: false,
  })
  dry_run: boolean = false;
}

export class UpstreamPath {
  @IdField({ noun: 'upstream', prefix: 'up', description: 'The upstream.' })
  id!: string;
}

export class CredentialPath extends UpstreamPath {
  @IdField({ noun: 'credential', prefix: 'upc', description: 'The credential.' })
  credential!: string;
}

export class UpstreamModelDto {
  @TextField({
    description: `The slug; \`${EVERY_MODEL}\` is every priced model that the upstream does not name.`,
    example: 'sandbox-chat',
    pattern: [SLUG_OR_EVERY, `${SLUG_MESSAGE}, or *`],
  })
  model!: string;

  @TextField({
    ...OPTIONAL,
    description: 'The upstream’s own name of the model; null: the slug.',
    maxLength: 200,
    example: 'llama-3.1-8b',
  })
  upstream_name?: string | null;

  @IntegerField({
    description: 'Share of the calls among the upstreams with the same priority. 0: none.',
    min: 0,
    max: 1000,
    optional: true,
    default: 100,
  })
  weight: number = 100;

  @IntegerField({
    description: 'The upstreams with the lowest one are called first.',
    min: 0,
    max: 1000,
    optional: true,
    default: 0,
  })
  priority: number = 0;
}

const NAME_FORM: [RegExp, string] = [/^[a-z0-9._-]{1,64}$/, 'must be 1 to 64 of a-z 0-9 . _ -'];
const baseUrl = (optional: boolean) =>
  TextField({
    description: 'Root of its API, below which its endpoints are.',
    example: 'https://models.example.com/v1',
    maxLength: 2000,
    optional,
  });
const credential = (optional: boolean, more = '') =>
  TextField({
    description: `The API key of the gateway at the upstream. It is stored encrypted and never shown.${more}`,
    maxLength: 4096,
    pattern: [/^[\x21-\x7e]+$/, 'must have no spaces and no characters beyond ASCII'],
    example: 'sk-example',
    optional,
    nullable: optional,
  });

class ServerSettings {
  @TextField({
    description:
      'The header of the credential. `authorization` has it as a Bearer token, any other header as it is.',
    pattern: [
      /^(?!(?:host|content-length|content-type|connection|transfer-encoding)$)[a-z][a-z0-9-]{0,63}$/,
      'must be the name of a header in small letters that HTTP itself does not use',
    ],
    example: 'authorization',
    optional: true,
  })
  credential_header?: string;

  @TextListField(
    {
      description:
        'What its server speaks. A call in one of these protocols is passed on as it is; other chats are translated. A server without `chat` gets no completions, embeddings, pictures and audio.',
      minItems: 1,
      maxItems: UPSTREAM_PROTOCOLS.length,
      optional: true,
      example: ['chat'],
    },
    { enum: [...UPSTREAM_PROTOCOLS] },
    IsIn(UPSTREAM_PROTOCOLS, { each: true, message: `must be among ${UPSTREAM_PROTOCOLS.join(', ')}` }),
  )
  protocols?: UpstreamProtocol[];
}

/** What may change of an upstream. Absent fields stay. */
export class ChangeUpstreamDto extends ServerSettings {
  @baseUrl(true)
  base_url?: string;

  @LineField({ ...OPTIONAL, description: 'Where it stands, for people.', maxLength: 100, example: 'eu-1' })
  region?: string | null;

  @ChoiceField(UPSTREAM_STATES, {
    description: '`draining`: gets no further calls, and those that run go on. `off`: is not probed either.',
    optional: true,
  })
  state?: UpstreamState;

  @IntegerField({
    ...OPTIONAL,
    description: 'Most requests a minute, of all gateways together.',
    min: 1,
    max: MAX_TOKENS,
  })
  requests_per_minute?: number | null;

  @IntegerField({
    ...OPTIONAL,
    description: 'Most metered tokens a minute, of all gateways together.',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
  })
  tokens_per_minute?: number | null;

  @IntegerField({
    ...OPTIONAL,
    description: 'Most calls at a time, of all gateways together.',
    min: 1,
    max: MAX_TOKENS,
  })
  concurrency?: number | null;

  @IntegerField({
    ...OPTIONAL,
    description: 'Milliseconds to connect; null: as the gateways are configured.',
    min: 50,
    max: 60_000,
  })
  connect_timeout_ms?: number | null;

  @IntegerField({
    ...OPTIONAL,
    description: 'Milliseconds to the first byte of an answer.',
    min: 50,
    max: MAX_TIMEOUT_MS,
  })
  first_byte_timeout_ms?: number | null;

  @IntegerField({
    ...OPTIONAL,
    description: 'Longest silence in an answer, in milliseconds.',
    min: 50,
    max: MAX_TIMEOUT_MS,
  })
  idle_timeout_ms?: number | null;

  @ObjectListField(() => UpstreamModelDto, {
    description: 'The models that it serves, all of them.',
    maxItems: 1000,
    optional: true,
  })
  models?: UpstreamModelDto[];

  @credential(
    true,
    ' In a change it is used from now on. Another origin of `base_url` or another `credential_header` deletes the stored ones, which would be sent elsewhere, and demands it; null: none.',
  )
  credential?: string | null;
}

export class NewUpstreamDto extends ChangeUpstreamDto {
  @TextField({ description: 'Its name in the log of calls. It stays.', pattern: NAME_FORM, example: 'gpu-1' })
  name!: string;

  @baseUrl(false)
  declare base_url: string;
}

export class NewCredentialDto {
  @credential(false)
  credential!: string;
}

export class TestUpstreamDto {
  @TextField({
    description: 'The upstream’s own name of the model to call. By default the first one that it serves.',
    maxLength: 200,
    optional: true,
    example: 'llama-3.1-8b',
  })
  model?: string;
}

/** Settings that may not be stored yet. */
export class TestSettingsDto extends ServerSettings {
  @baseUrl(false)
  base_url!: string;

  @credential(true)
  credential?: string | null;

  @IdField({
    noun: 'upstream',
    prefix: 'up',
    description:
      'Whose newest stored credential is used without `credential`, if the origin of `base_url` and `credential_header` are its own.',
    optional: true,
  })
  upstream?: string;

  @TextField({
    description: 'The upstream’s own name of the model to call. By default the first one that it lists.',
    maxLength: 200,
    optional: true,
    example: 'llama-3.1-8b',
  })
  model?: string;
}

class UpstreamModelResponse {
  @ApiProperty({ description: 'The slug, or `*`.', example: 'sandbox-chat' })
  model!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The upstream’s own name of it.',
    example: null,
  })
  upstream_name!: string | null;

  @ApiProperty({ type: 'integer', description: 'Share of the calls in its priority.', example: 100 })
  weight!: number;

  @ApiProperty({ type: 'integer', description: 'The lowest one is called first.', example: 0 })
  priority!: number;
}

export class CredentialResponse {
  @ApiProperty({ description: 'Its id.', example: 'upc_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'Its last characters; empty for a short one.', example: 'x7Qp' })
  hint!: string;

  @InstantProperty({ description: 'When it was stored. The newest one is used.' })
  created_at!: string;
}

class UpstreamHealthResponse {
  @ApiProperty({ type: 'integer', description: 'Gateways that report.', example: 2 })
  gateways!: number;

  @ApiProperty({
    type: 'boolean',
    nullable: true,
    description: 'Whether it answers all of them; null if not known.',
    example: true,
  })
  is_up!: boolean | null;

  @ApiProperty({ type: 'integer', description: 'Calls that run.', example: 3 })
  running!: number;

  @ApiProperty({ type: 'integer', description: 'Calls of the last minute.', example: 120 })
  calls_per_minute!: number;

  @ApiProperty({ type: 'integer', description: 'Calls of the last minute that failed.', example: 0 })
  failures_per_minute!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Mean time to the first byte in the last minute, in milliseconds.',
    example: 240,
  })
  first_byte_ms!: number | null;

  @ApiProperty({
    type: [String],
    description: 'Models whose calls a gateway keeps from it because they fail.',
    example: [],
  })
  open_models!: string[];
}

/** What the page of the site's health shows of an upstream. */
export class UpstreamStateResponse extends UpstreamHealthResponse {
  @ApiProperty({ description: 'Its name in the log of calls.', example: 'gpu-1' })
  name!: string;

  @ApiProperty({ enum: UPSTREAM_STATES, description: 'Whether it gets calls.' })
  state!: UpstreamState;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Most calls at a time.', example: 64 })
  concurrency!: number | null;
}

export class UpstreamResponse {
  @ApiProperty({ description: 'Its id.', example: 'up_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'Its name in the log of calls.', example: 'gpu-1' })
  name!: string;

  @ApiProperty({ description: 'Root of its API.', example: 'https://models.example.com/v1' })
  base_url!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Where it stands.', example: 'eu-1' })
  region!: string | null;

  @ApiProperty({ description: 'The header of the credential.', example: 'authorization' })
  credential_header!: string;

  @ApiProperty({ enum: UPSTREAM_PROTOCOLS, isArray: true, description: 'What it speaks.', example: ['chat'] })
  protocols!: UpstreamProtocol[];

  @ApiProperty({ type: [CredentialResponse], description: 'Its credentials, newest first.' })
  credentials!: CredentialResponse[];

  @ApiProperty({ enum: UPSTREAM_STATES, description: 'Whether it gets calls.' })
  state!: UpstreamState;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Most requests a minute.', example: null })
  requests_per_minute!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Most tokens a minute.', example: null })
  tokens_per_minute!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Most calls at a time.', example: null })
  concurrency!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Milliseconds to connect.', example: null })
  connect_timeout_ms!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Milliseconds to the first byte.',
    example: null,
  })
  first_byte_timeout_ms!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Longest silence, in milliseconds.',
    example: null,
  })
  idle_timeout_ms!: number | null;

  @ApiProperty({ type: [UpstreamModelResponse], description: 'The models that it serves.' })
  models!: UpstreamModelResponse[];

  @ApiProperty({ type: 'integer', description: 'Grows with each change.', example: 1 })
  version!: number;

  @InstantProperty({ description: 'When it was last changed.' })
  updated_at!: string;

  @ApiProperty({ description: 'What the gateways see of it, at most a few seconds old.' })
  health!: UpstreamHealthResponse;
}

export class UpstreamListResponse {
  @ApiProperty({ type: [UpstreamResponse], description: 'All upstreams by their names.' })
  upstreams!: UpstreamResponse[];
}

class TestCallResponse {
  @ApiProperty({ description: 'The upstream’s own name of the model.', example: 'llama-3.1-8b' })
  model!: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The status of the answer; null without one.',
    example: 200,
  })
  status!: number | null;

  @ApiProperty({ type: 'integer', description: 'How long it took, in milliseconds.', example: 310 })
  milliseconds!: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'What is wrong; null if nothing is.',
    example: null,
  })
  error!: string | null;
}

export class UpstreamTestResponse {
  @ApiProperty({
    type: [String],
    description: 'The models that it lists, at most 1,000.',
    example: ['llama-3.1-8b'],
  })
  models!: string[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why it lists none; null if it does.',
    example: null,
  })
  listing_error!: string | null;

  @ApiProperty({
    type: () => TestCallResponse,
    nullable: true,
    description: 'The call of a model; null if no model is known.',
  })
  call!: TestCallResponse | null;
}
