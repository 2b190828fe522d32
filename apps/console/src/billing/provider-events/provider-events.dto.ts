import {
  ChoiceField,
  IdField,
  InstantProperty,
  LineField,
  MoneyProperty,
  NextCursorProperty,
} from '@inference/dto';
import { PageQuery } from '@inference/http';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import {
  PAYMENT_PROVIDERS,
  type PaymentProviderName,
  PROVIDER_EVENT_KINDS,
  type ProviderEventKind,
} from '../payment-providers/payment-provider';
import { CLOSINGS } from './provider-event.entity';

const STATES = ['open', 'closed'] as const;
const MAX_NOTE_CHARS = 500;

export class ProviderEventsQuery extends PageQuery {
  @ChoiceField(STATES, {
    description: 'Lists events in this state only: `open` ones wait for a person.',
    example: 'open',
    optional: true,
  })
  state?: (typeof STATES)[number];
}

export class ProviderEventPath {
  @IdField({ description: 'The id of the event.', noun: 'event', prefix: 'pev' })
  id!: string;
}

export class CloseProviderEventDto {
  @LineField({
    description: 'What was done about it.',
    example: 'Evidence is sent to the bank; the amount is taken from the wallet by an adjustment.',
    maxLength: MAX_NOTE_CHARS,
  })
  note!: string;
}

const text = (description: string, example: string) =>
  ApiProperty({ description, type: String, nullable: true, example });

/** A signed event of a payment provider that the platform does not act on by itself. */
export class ProviderEventResponse {
  @ApiProperty({ description: 'Names the event in this API.', example: 'pev_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The provider.', enum: PAYMENT_PROVIDERS, example: 'card_provider' })
  provider!: PaymentProviderName;

  @ApiProperty({ description: 'The provider’s own id of the event.', example: 'evt_1SgXb2LsA' })
  event_id!: string;

  @ApiProperty({ description: 'The provider’s name of what happened.', example: 'charge.dispute.created' })
  type!: string;

  @ApiProperty({
    description:
      '`dispute`: a payer asks the bank for the money back. `refund`: money was given back at the provider. `other`: anything else.',
    enum: PROVIDER_EVENT_KINDS,
    example: 'dispute',
  })
  kind!: ProviderEventKind;

  @text('The payment that it is about; null if it names none of this site.', 'pay_0Vc3kZ8dQ1mXw7RtYb2LsA')
  payment_id!: string | null;

  @text('The account of the payment; null without a payment.', 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA')
  account_id!: string | null;

  @MoneyProperty({
    description: 'The amount that the provider names, in `currency`; null without one.',
    nullable: true,
    example: 20,
  })
  amount!: ExactNumber | null;

  @text('The currency that the provider names.', 'USD')
  currency!: string | null;

  @text('The state in the provider’s words.', 'needs_response')
  status!: string | null;

  @text('The reason in the provider’s words.', 'fraudulent')
  reason!: string | null;

  @InstantProperty({ description: 'When it was received first.' })
  received_at!: string;

  @InstantProperty({ description: 'When it was closed; null while it waits for a person.', nullable: true })
  closed_at!: string | null;

  @ApiProperty({
    description:
      '`own_refund`: a refund of this site explains it, so nobody has to act. `handled`: a person has closed it. Null while it is open.',
    enum: CLOSINGS,
    nullable: true,
    example: null,
  })
  closed_as!: (typeof CLOSINGS)[number] | null;

  @text('The account of the person who closed it.', 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA')
  closed_by!: string | null;

  @text('What that person did about it.', 'Evidence is sent to the bank.')
  note!: string | null;
}

export class ProviderEventDetailResponse extends ProviderEventResponse {
  @ApiProperty({
    description:
      'What the provider has signed, as JSON text; empty from 540 days after the event was closed.',
    example: '{"id":"evt_1SgXb2LsA","type":"charge.dispute.created"}',
  })
  content!: string;
}

export class ProviderEventListResponse {
  @ApiProperty({ description: 'The events of the page, newest first.', type: [ProviderEventResponse] })
  events!: ProviderEventResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
