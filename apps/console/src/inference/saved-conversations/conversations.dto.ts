import {
  BooleanField,
  IdField,
  InstantProperty,
  IntegerField,
  JsonObjectField,
  LineField,
  NextCursorProperty,
  TextField,
} from '@inference/dto';
import { PageQuery } from '@inference/http';
import { ApiProperty, PickType } from '@nestjs/swagger';

const MAX_TITLE_CHARS = 200;
const MAX_KEY_CHARS = 64;
const MAX_REVISION = 2_147_483_646;
const CONTENT_EXAMPLE = { turns: [{ prompt: 'What is a ledger?', answers: [] }] };

export class CreateConversationDto {
  @LineField({
    description: 'The title. The pages take the first message.',
    example: 'What is a ledger?',
    maxLength: MAX_TITLE_CHARS,
  })
  title!: string;

  @JsonObjectField({
    description:
      'Settings and messages as the pages keep them: at most 4,194,304 bytes of JSON. The service does not read them.',
    example: CONTENT_EXAMPLE,
  })
  content!: Record<string, unknown>;

  @TextField({
    description:
      'Names the conversation before it has an id, so that the request can be repeated: one key makes one conversation, whose first revision is answered again. What was stored stays.',
    example: 'a2f6c1de-5b0f-4c7b-9a53-0a4f3c9e7d11',
    maxLength: MAX_KEY_CHARS,
    pattern: [/^[\x21-\x7e]+$/, `must have 1 to ${MAX_KEY_CHARS} printable ASCII characters without spaces`],
    optional: true,
  })
  key?: string;
}

export class RenameConversationDto extends PickType(CreateConversationDto, ['title']) {}

export class ReplaceConversationDto extends PickType(CreateConversationDto, ['content']) {
  @IntegerField({
    description: 'The revision that the content was made from.',
    example: 1,
    min: 1,
    max: MAX_REVISION,
  })
  revision!: number;
}

export class ConversationPath {
  @IdField({ description: 'The id of the conversation.', noun: 'conversation', prefix: 'chat' })
  id!: string;
}

export class ConversationsQuery extends PageQuery {
  @TextField({
    description: 'Only conversations whose title contains this text, in upper or lower case.',
    optional: true,
    minLength: 0,
    maxLength: MAX_TITLE_CHARS,
  })
  search?: string;
}

export class SavedConversationResponse {
  @ApiProperty({ description: 'Names the conversation in this API.', example: 'chat_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The title.', example: 'What is a ledger?' })
  title!: string;

  @ApiProperty({
    description: 'Grows by one with each change of the content. The next change names it.',
    type: 'integer',
    example: 1,
  })
  revision!: number;

  @InstantProperty({ description: 'When the conversation was stored first.' })
  created_at!: string;

  @InstantProperty({ description: 'When its content was stored last.' })
  updated_at!: string;
}

export class SavedConversationContentResponse extends SavedConversationResponse {
  @ApiProperty({
    description: 'The object that was stored.',
    type: 'object',
    additionalProperties: true,
    example: CONTENT_EXAMPLE,
  })
  content!: Record<string, unknown>;
}

export class SavedConversationListResponse {
  @ApiProperty({
    description:
      'The account’s conversations without their contents; the one that was changed last is first.',
    type: [SavedConversationResponse],
  })
  conversations!: SavedConversationResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

export class PlaygroundSettingsDto {
  @BooleanField({
    description: 'Whether the pages save conversations. True for a new account.',
    example: true,
  })
  save_conversations!: boolean;
}

export class PlaygroundSettingsResponse extends PickType(PlaygroundSettingsDto, ['save_conversations']) {}
