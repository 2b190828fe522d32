import { type TimeOrder } from '@inference/database';
import {
  AsSent,
  ChoiceField,
  field,
  type FieldOptions,
  InstantProperty,
  LineField,
  nameFault,
  NameText,
  NextCursorProperty,
  ObjectListField,
  TextField,
} from '@inference/dto';
import { PageQuery } from '@inference/http';
import { ApiProperty } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import { MAX_CONTENT_CHARS, type ToolDefinition, ToolDefinitionDto } from '../tables/tool.dto';
import { type TurnStatus } from '../tables/turn.entity';
import { Rule } from '../rule.decorator';

/** `.` and `..` are excluded because clients resolve them as relative path segments. */
const SESSION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/;

/** The id of a session, which its account may choose. */
const SessionIdField = (options: FieldOptions): PropertyDecorator =>
  TextField({
    example: 'support-4711',
    ...options,
    pattern: [SESSION_ID, 'must be 1 to 128 of A-Z a-z 0-9 . _ : -, and neither . nor ..'],
  });

export class SessionPath {
  @SessionIdField({ description: 'The id of the session.' })
  session_id!: string;
}

const MAX_MODEL_CHARS = 200;
const MAX_TOOLS = 128;
const MAX_TOOLS_CHARS = 131_072;
const MAX_METADATA_PAIRS = 64;
const MAX_METADATA_KEY_CHARS = 64;
const MAX_METADATA_VALUE_CHARS = 512;

const haveDistinctNames = (tools: ToolDefinition[]) =>
  new Set(tools.map((tool) => (tool.function as { name?: string } | undefined)?.name)).size === tools.length;

const isMetadata = (metadata: Record<string, unknown>) =>
  Object.entries(metadata).every(
    ([key, value]) =>
      key.length >= 1 &&
      key.length <= MAX_METADATA_KEY_CHARS &&
      typeof value === 'string' &&
      value.length <= MAX_METADATA_VALUE_CHARS,
  );

const METADATA_SCHEMA = {
  type: 'object',
  additionalProperties: { type: 'string', maxLength: MAX_METADATA_VALUE_CHARS },
  maxProperties: MAX_METADATA_PAIRS,
} as const;
const METADATA_EXAMPLE = { customer: '4711' };

const METADATA_FORM = `at most ${MAX_METADATA_PAIRS}. A name has 1 to ${MAX_METADATA_KEY_CHARS} characters.`;

/** Texts by name, stored as they are sent. */
function MetadataField(options: FieldOptions): PropertyDecorator {
  return field(
    options,
    METADATA_SCHEMA,
    AsSent(),
    IsObject({ message: 'must be an object' }),
    Rule(
      'hasFewPairs',
      (pairs: object) => Object.keys(pairs).length <= MAX_METADATA_PAIRS,
      `must have ${MAX_METADATA_PAIRS} pairs at most`,
    ),
    Rule(
      'hasNames',
      (pairs: object) => Object.keys(pairs).every((name) => nameFault(name) === null),
      'must have names of one line without control and invisible characters, and none of __proto__, constructor, prototype',
    ),
    Rule(
      'hasTexts',
      isMetadata,
      `must have keys of 1 to ${MAX_METADATA_KEY_CHARS} characters and texts of at most ${MAX_METADATA_VALUE_CHARS}`,
    ),
  );
}

export class CreateSessionDto {
  @SessionIdField({ description: 'The id of the session; the service makes one if absent.', optional: true })
  id?: string;

  @NameText()
  @TextField({
    description: 'Slug of the model. Absent or null: the default model of the service.',
    example: 'sandbox-chat',
    maxLength: MAX_MODEL_CHARS,
    optional: true,
    nullable: true,
  })
  model?: string | null;

  @TextField({
    description: 'The system prompt. Absent or null: none.',
    example: 'Be brief.',
    minLength: 0,
    maxLength: MAX_CONTENT_CHARS,
    optional: true,
    nullable: true,
  })
  system?: string | null;

  @Rule(
    'hasFewCharacters',
    (tools) => JSON.stringify(tools).length <= MAX_TOOLS_CHARS,
    `must have ${MAX_TOOLS_CHARS} characters at most`,
  )
  @Rule('haveDistinctNames', haveDistinctNames, 'names of functions must differ')
  @ObjectListField(() => ToolDefinitionDto, {
    description: `Functions that the model may call, with different names; ${MAX_TOOLS_CHARS} characters of JSON at most.`,
    maxItems: MAX_TOOLS,
    optional: true,
    default: [],
  })
  tools: ToolDefinitionDto[] = [];

  @MetadataField({
    description: `Texts of the caller by name, ${METADATA_FORM} The service does not interpret them, but finds sessions by the one named \`title\`.`,
    example: METADATA_EXAMPLE,
    optional: true,
    default: {},
  })
  metadata: Record<string, string> = {};
}

export class UpdateSessionDto {
  @MetadataField({
    description: `The texts of the caller from now on, ${METADATA_FORM}`,
    example: { ...METADATA_EXAMPLE, title: 'Broken invoice' },
  })
  metadata!: Record<string, string>;
}

const SORTS = ['newest', 'oldest'] as const satisfies TimeOrder[];

export class SessionsQuery extends PageQuery {
  @LineField({
    description:
      'Finds the sessions of which this is a part of the id or of the text `title` of the metadata.',
    example: 'invoice',
    maxLength: MAX_METADATA_VALUE_CHARS,
    optional: true,
  })
  q?: string;

  @ChoiceField(SORTS, { description: 'Which sessions come first.', optional: true, default: 'newest' })
  sort: TimeOrder = 'newest';
}

export class SessionResponse {
  @ApiProperty({ description: 'Names the session within its account.', example: 'support-4711' })
  id!: string;

  @ApiProperty({
    description: 'Slug of the model: the session’s own, or the default model of the service.',
    example: 'sandbox-chat',
  })
  model!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'The system prompt.', example: 'Be brief.' })
  system!: string | null;

  @ApiProperty({ type: [ToolDefinitionDto], description: 'Functions that the model may call.' })
  tools!: ToolDefinition[];

  @ApiProperty({ ...METADATA_SCHEMA, description: 'Texts of the caller by name.', example: METADATA_EXAMPLE })
  metadata!: Record<string, string>;

  @ApiProperty({ type: 'integer', description: '`seq` of the newest event; 0 if there is none.', example: 2 })
  last_seq!: number;

  @InstantProperty({ description: 'When the session was created.' })
  created_at!: string;
}

class OpenTurnResponse {
  @ApiProperty({ description: 'Names the turn.', example: 'turn_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({
    enum: ['queued', 'running', 'requires_action'],
    description:
      '`queued`: it waits for an earlier turn or a free place. `requires_action`: it waits for results of tools.',
    example: 'running',
  })
  status!: TurnStatus;
}

export class SessionDetailsResponse extends SessionResponse {
  @ApiProperty({
    type: [OpenTurnResponse],
    description: 'Turns that have not ended, in the order in which they run.',
  })
  open_turns!: OpenTurnResponse[];
}

export class SessionListResponse {
  @ApiProperty({
    type: [SessionResponse],
    description: 'The sessions that the caller reaches, as `sort` orders them.',
  })
  sessions!: SessionResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

export class CancelledTurnsResponse {
  @ApiProperty({
    type: [String],
    description: 'Ids of the turns that were cancelled; empty if none was open.',
    example: ['turn_0Vc3kZ8dQ1mXw7RtYb2LsA'],
  })
  cancelled!: string[];
}
