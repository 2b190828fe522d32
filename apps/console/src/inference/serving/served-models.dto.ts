import {
  IdField,
  IntegerField,
  LineField,
  TextField,
  ChoiceField,
  InstantProperty,
  TextListField,
} from '@inference/dto';
import {
  MODALITIES,
  type Modality,
  MODEL_STATES,
  type ModelState,
  OUTPUT_LIMIT_FIELDS,
  type OutputLimitField,
  UPSTREAM_PROTOCOLS,
  type UpstreamProtocol,
} from '@inference/serving';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import { SLUG, SLUG_MESSAGE, SLUG_OR_EVERY, OPTIONAL, MAX_TOKENS } from './serving.dto';

export class ServedModelPath {
  @IdField({ noun: 'model', prefix: 'mod', description: 'The model.' })
  id!: string;
}

const slugs = (description: string, maxItems: number) =>
  TextListField(
    { description, maxItems, example: ['sandbox-mini'], optional: true },
    { pattern: SLUG.source },
    Matches(SLUG, { each: true, message: SLUG_MESSAGE }),
  );
const modalities = (description: string) =>
  TextListField(
    { ...OPTIONAL, description, minItems: 1, maxItems: MODALITIES.length, example: ['text'] },
    { enum: [...MODALITIES] },
    IsIn(MODALITIES, { each: true, message: `must be among ${MODALITIES.join(', ')}` }),
  );

/** What may change of a model. Absent fields stay. */
export class ChangeServedModelDto {
  @LineField({ ...OPTIONAL, description: 'Its name for people.', maxLength: 200, example: 'Sandbox Chat' })
  name?: string | null;

  @IntegerField({
    ...OPTIONAL,
    description: 'Most tokens of prompt and answer together; null: not known.',
    min: 1,
    max: MAX_TOKENS,
  })
  context_tokens?: number | null;

  @IntegerField({
    ...OPTIONAL,
    description: 'Limit of an answer in tokens if a request has none; null: 4096.',
    min: 1,
    max: MAX_TOKENS,
  })
  max_output_tokens?: number | null;

  @modalities('What it understands; null: not known.')
  input_modalities?: Modality[] | null;

  @modalities('What it answers; null: not known.')
  output_modalities?: Modality[] | null;

  @ChoiceField(OUTPUT_LIMIT_FIELDS, {
    description: 'The field in which its servers accept the limit of an answer.',
    optional: true,
  })
  output_limit_field?: OutputLimitField;

  @slugs('Further names under which it is called.', 20)
  aliases?: string[];

  @slugs('Models that answer, at their own price, if no upstream of this one does; in order.', 5)
  fallbacks?: string[];

  @ChoiceField(MODEL_STATES, {
    description: '`hidden`: can be called and is not listed. `retired`: calls are 404.',
    optional: true,
  })
  state?: ModelState;

  @TextField({
    ...OPTIONAL,
    description: 'The model that calls of a retired one are told to use.',
    pattern: [SLUG, SLUG_MESSAGE],
    example: 'sandbox-mini',
  })
  successor?: string | null;
}

export class NewServedModelDto extends ChangeServedModelDto {
  @TextField({
    description:
      'The slug, as prices name it. It stays. `*` holds the limits of every model that is not named.',
    pattern: [SLUG_OR_EVERY, `${SLUG_MESSAGE}, or *`],
    example: 'sandbox-chat',
  })
  slug!: string;
}

export class ServedModelResponse {
  @ApiProperty({ description: 'Its id.', example: 'mod_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The slug, or `*`.', example: 'sandbox-chat' })
  slug!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Its name.', example: 'Sandbox Chat' })
  name!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Its context window in tokens.',
    example: 131_072,
  })
  context_tokens!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Limit of an answer in tokens.',
    example: 4096,
  })
  max_output_tokens!: number | null;

  @ApiProperty({
    enum: MODALITIES,
    isArray: true,
    nullable: true,
    type: String,
    description: 'What it understands.',
  })
  input_modalities!: Modality[] | null;

  @ApiProperty({
    enum: MODALITIES,
    isArray: true,
    nullable: true,
    type: String,
    description: 'What it answers.',
  })
  output_modalities!: Modality[] | null;

  @ApiProperty({
    enum: UPSTREAM_PROTOCOLS,
    isArray: true,
    description: 'What upstreams that serve it speak themselves. Calls in another protocol are translated.',
    example: ['chat'],
  })
  protocols!: UpstreamProtocol[];

  @ApiProperty({ enum: OUTPUT_LIMIT_FIELDS, description: 'Where its servers accept the limit.' })
  output_limit_field!: OutputLimitField;

  @ApiProperty({ type: [String], description: 'Further names.', example: [] })
  aliases!: string[];

  @ApiProperty({ type: [String], description: 'Models that answer instead.', example: [] })
  fallbacks!: string[];

  @ApiProperty({ enum: MODEL_STATES, description: 'Whether it is offered.' })
  state!: ModelState;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'What to use instead of a retired one.',
    example: null,
  })
  successor!: string | null;

  @ApiProperty({ type: 'integer', description: 'Grows with each change.', example: 1 })
  version!: number;

  @InstantProperty({ description: 'When it was last changed.' })
  updated_at!: string;
}

/** What the gateways see of a model. */
export class ModelFiguresResponse {
  @ApiProperty({ description: 'The slug.', example: 'sandbox-chat' })
  slug!: string;

  @ApiProperty({
    type: [String],
    description: 'Upstreams that can be called for it now, by their names.',
    example: ['gpu-1'],
  })
  upstreams!: string[];

  @ApiProperty({
    type: [String],
    description:
      'Upstreams that have it and get none of its calls: not active, without a weight, not answering, or left alone because its calls fail.',
    example: [],
  })
  other_upstreams!: string[];

  @ApiProperty({ type: 'integer', description: 'Calls of its upstreams in the last minute.', example: 120 })
  calls_per_minute!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Those of them that failed. Another upstream may have answered.',
    example: 0,
  })
  failures_per_minute!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Mean time to the first byte in the last minute, in milliseconds.',
    example: 240,
  })
  first_byte_ms!: number | null;

  @ApiProperty({ type: 'integer', description: 'Output tokens of the last minute.', example: 24_000 })
  output_tokens_per_minute!: number;
}

export class ServedModelListResponse {
  @ApiProperty({
    type: [ServedModelResponse],
    description: 'All models that something is known of, by their slugs.',
  })
  models!: ServedModelResponse[];

  @ApiProperty({
    type: [ModelFiguresResponse],
    description:
      'What the gateways see, at most a few seconds old, of all models that are stored, named by an upstream, or were called lately; by their slugs. Without retired ones.',
  })
  figures!: ModelFiguresResponse[];
}
