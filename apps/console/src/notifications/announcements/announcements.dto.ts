import {
  ChoiceField,
  IdField,
  InstantField,
  InstantProperty,
  LineField,
  NextCursorProperty,
  TextField,
  TextListField,
} from '@inference/dto';
import { PageQuery } from '@inference/http';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { type Announcement, AUDIENCES, SEVERITIES } from './announcement.entity';
import { MailingResponse } from './mailings.dto';

const MAX_TITLE_CHARS = 200;
const MAX_BODY_CHARS = 2_000;
/** Chosen: larger groups are those of a model, or all. */
const MAX_ACCOUNTS = 1_000;
const ACCOUNT_ID = /^acct_\w{1,60}$/;

export class AnnouncementsQuery extends PageQuery {}

export class AnnouncementPath {
  @IdField({ description: 'The id of the announcement.', noun: 'announcement', prefix: 'ann' })
  id!: string;
}

const body = (language: string, example: string) =>
  TextField({
    description: `The text in ${language}, without markup. Addresses that begin with https:// become links.`,
    example,
    maxLength: MAX_BODY_CHARS,
    pattern: [/\S/, 'must not be empty'],
  });

/** What may change after an announcement was made. */
export class AnnouncementContentDto {
  @ChoiceField(SEVERITIES, {
    description: '`critical` ones cannot be dismissed.',
    example: 'warning',
  })
  severity!: Announcement['severity'];

  @LineField({
    description: 'The title in English.',
    example: 'Maintenance on Sunday',
    maxLength: MAX_TITLE_CHARS,
  })
  title_en!: string;

  @body('English', 'Calls may fail for a few minutes between 02:00 and 03:00 UTC.')
  body_en!: string;

  @LineField({ description: 'The title in Chinese.', example: '周日系统维护', maxLength: MAX_TITLE_CHARS })
  title_zh!: string;

  @body('Chinese', 'UTC 时间 02:00 至 03:00 之间，调用可能会有几分钟失败。')
  body_zh!: string;

  @InstantField({
    description: 'From when it is shown. Absent: from now on for a new one, unchanged for another.',
    optional: true,
  })
  starts_at?: bigint;

  @InstantField({
    description: 'Until when it is shown, after `starts_at`. Absent: until staff ends it.',
    example: '2190-01-01T00:00:00Z',
    optional: true,
  })
  ends_at?: bigint;
}

export class NewAnnouncementDto extends AnnouncementContentDto {
  @ChoiceField(AUDIENCES, {
    description:
      'Who sees it. `all`: everybody, also before sign-in. `accounts`: those in `account_ids`. `model`: the accounts that have used `model` in the last 30 days.',
    example: 'all',
  })
  audience!: Announcement['audience'];

  @TextListField(
    {
      description: 'The accounts that see it; with the audience `accounts` only.',
      example: undefined,
      minItems: 1,
      maxItems: MAX_ACCOUNTS,
      optional: true,
    },
    { pattern: ACCOUNT_ID.source },
    Matches(ACCOUNT_ID, { each: true, message: 'must be ids of accounts' }),
  )
  account_ids?: string[];

  @LineField({
    description: 'The model whose users see it; with the audience `model` only.',
    example: undefined,
    maxLength: 200,
    optional: true,
  })
  model?: string;
}

export class CurrentAnnouncementResponse {
  @ApiProperty({ description: 'Names the announcement in this API.', example: 'ann_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({
    description: 'How severe it is. `critical` ones cannot be dismissed.',
    enum: SEVERITIES,
    example: 'warning',
  })
  severity!: Announcement['severity'];

  @ApiProperty({ description: 'The title in English.', example: 'Maintenance on Sunday' })
  title_en!: string;

  @ApiProperty({ description: 'The text in English.', example: 'Calls may fail for a few minutes.' })
  body_en!: string;

  @ApiProperty({ description: 'The title in Chinese.', example: '周日系统维护' })
  title_zh!: string;

  @ApiProperty({ description: 'The text in Chinese.', example: '调用可能会有几分钟失败。' })
  body_zh!: string;

  @InstantProperty({ description: 'From when it is shown.' })
  starts_at!: string;

  @InstantProperty({ description: 'Until when it is shown; null: until staff ends it.', nullable: true })
  ends_at!: string | null;
}

export class CurrentAnnouncementsResponse {
  @ApiProperty({
    description: 'The announcements that are shown now, newest first; at most 20.',
    type: [CurrentAnnouncementResponse],
  })
  announcements!: CurrentAnnouncementResponse[];
}

export class AnnouncementResponse extends CurrentAnnouncementResponse {
  @ApiProperty({ description: 'Who sees it.', enum: AUDIENCES, example: 'all' })
  audience!: Announcement['audience'];

  @ApiProperty({
    description: 'The model whose users see it; null for other audiences.',
    type: String,
    nullable: true,
    example: null,
  })
  model!: string | null;

  @ApiProperty({
    description: 'How many accounts it addresses; null if it addresses all.',
    type: 'integer',
    nullable: true,
    example: null,
  })
  addressed_accounts!: number | null;

  @ApiProperty({ description: 'How many accounts have dismissed it.', type: 'integer', example: 12 })
  dismissed_by!: number;

  @ApiProperty({
    description: 'How it goes out by mail; null: only pages show it.',
    type: MailingResponse,
    nullable: true,
    example: null,
  })
  mailing!: MailingResponse | null;

  @ApiProperty({ description: 'The account that made it.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  created_by!: string;

  @InstantProperty({ description: 'When it was made.' })
  created_at!: string;
}

export class AnnouncementsResponse {
  @ApiProperty({ description: 'The announcements of the page, newest first.', type: [AnnouncementResponse] })
  announcements!: AnnouncementResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
