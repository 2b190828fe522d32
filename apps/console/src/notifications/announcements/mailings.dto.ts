import { BooleanField, InstantProperty, IntegerField, LineField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';

const MAX_ACTIVE_DAYS = 365;
const CODE = /^[0-9A-Za-z]{22}$/;
const MAILING_STATES = ['sending', 'sent', 'cancelled'] as const;

/** Which of the addressed accounts get the mail. */
export class MailingDto {
  @LineField({
    description: 'Only accounts that have used this model in the last 30 days.',
    example: undefined,
    maxLength: 200,
    optional: true,
  })
  used_model?: string;

  @IntegerField({
    description: 'Only accounts that have used any model within so many days.',
    example: 30,
    min: 1,
    max: MAX_ACTIVE_DAYS,
    optional: true,
  })
  active_within_days?: number;

  @LineField({
    description: 'Only accounts of this tier of limits, one of `MODEL_RATE_LIMIT_TIERS`.',
    example: undefined,
    maxLength: 60,
    optional: true,
  })
  tier?: string;
}

const NullableText = (description: string) =>
  ApiProperty({ description, type: String, nullable: true, example: null });

/** An announcement by mail. */
export class MailingResponse {
  @ApiProperty({
    description:
      '`sending`: mails are put into the outbox at the rate of the site. `sent`: all of them were. `cancelled`: those that had not gone never do.',
    enum: MAILING_STATES,
    example: 'sending',
  })
  state!: (typeof MAILING_STATES)[number];

  @ApiProperty({ description: 'Accounts that get it.', type: 'integer', example: 1200 })
  recipients!: number;

  @ApiProperty({ description: 'Those whose mail was put into the outbox.', type: 'integer', example: 300 })
  queued!: number;

  @ApiProperty({
    description:
      'Those that are not sent it, because they were suspended, have unsubscribed or have no confirmed address when their mail is handed over.',
    type: 'integer',
    example: 2,
  })
  skipped!: number;

  @NullableText('Only accounts that had used this model; null: any.')
  used_model!: string | null;

  @ApiProperty({
    description: 'Only accounts with usage within so many days; null: any.',
    type: 'integer',
    nullable: true,
    example: 30,
  })
  active_within_days!: number | null;

  @NullableText('Only accounts of this tier of limits; null: any.')
  tier!: string | null;

  @InstantProperty({ description: 'When it was started.' })
  started_at!: string;

  @InstantProperty({ description: 'When it was sent or cancelled; null while it goes on.', nullable: true })
  ended_at!: string | null;
}

export class MailingCountResponse {
  @ApiProperty({ description: 'Accounts that get it.', type: 'integer', example: 1200 })
  recipients!: number;
}

export class UnsubscribeQuery {
  @ApiProperty({
    description: 'The code of the mail.',
    example: '0Vc3kZ8dQ1mXw7RtYb2LsA',
    pattern: CODE.source,
  })
  @Matches(CODE, { message: 'must be the code of a mail' })
  code!: string;
}

export class MailPreferenceDto {
  @BooleanField({ description: 'Whether the account gets announcements by mail.', example: false })
  announcements!: boolean;
}

export class MailPreferenceResponse {
  @ApiProperty({ description: 'Whether the account gets announcements by mail.', example: false })
  announcements!: boolean;
}
