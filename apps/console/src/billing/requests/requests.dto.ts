import { type Currency } from '@inference/config';
import {
  ChoiceField,
  CurrencyProperty,
  InstantField,
  InstantProperty,
  MoneyProperty,
  NextCursorProperty,
  TextField,
  TimeZoneField,
} from '@inference/dto';
import { PageQuery } from '@inference/http';
import {
  PRICE_UNITS,
  type PriceUnit,
  UNSERVED_KINDS,
  type UnservedKind,
  USAGE_OUTCOMES,
  type UsageOutcome,
} from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { type InstantMicros } from '@inference/time';
import { ApiProperty } from '@nestjs/swagger';
import { ApiKeyReference } from '../../identity/api-keys/api-keys.dto';
import { ApiKeyFilter, EntrypointFilter, ModelFilter } from '../../validation/call-filters.decorator';

const OUTCOMES =
  '`completed`: the whole answer was served; `disconnected`: the client left before its end; `interrupted`: the upstream failed in the middle of it.';

const STATUSES = ['charged', ...UNSERVED_KINDS] as const;
export type RequestStatus = (typeof STATUSES)[number];

const STATUS_TEXT =
  '`charged`: served, wholly or in part, also if that cost nothing; `refused`: the request, the wallet or a limit was the reason; `failed`: the platform or the model’s server was. The latter two cost nothing and are kept for 30 days.';

export class RequestsQuery extends PageQuery {
  @InstantField({
    description:
      'Only calls from this time on: a time, or a date, which is the start of that day in `time_zone`. All by default.',
    zoneField: 'time_zone',
    optional: true,
  })
  from?: InstantMicros;

  @InstantField({
    description: 'Only calls before this time: a time or a date, as in `from`.',
    example: '2026-02-01T00:00:00Z',
    zoneField: 'time_zone',
    optional: true,
  })
  to?: InstantMicros;

  @TimeZoneField({
    description: 'The time zone of a `from` or `to` that is a date.',
    optional: true,
    default: 'UTC',
  })
  time_zone: string = 'UTC';

  @ModelFilter()
  model?: string;

  @ApiKeyFilter()
  api_key_id?: string;

  @EntrypointFilter()
  entrypoint?: string;

  @ChoiceField(USAGE_OUTCOMES, {
    description: `Only calls with this outcome. ${OUTCOMES}`,
    example: 'completed',
    optional: true,
  })
  outcome?: UsageOutcome;

  @ChoiceField(STATUSES, {
    description: `Only calls with this status. ${STATUS_TEXT}`,
    example: 'failed',
    optional: true,
  })
  status?: RequestStatus;
}

export class RequestPath {
  @TextField({
    description: 'The id of the call: the header `X-Inference-Request-Id` of its answer.',
    example: 'req_0Vc3kZ8dQ1mXw7RtYb2LsA',
    pattern: [/^(req|trn)_[0-9A-Za-z]{22}$/, 'must be an id like req_0Vc3kZ8dQ1mXw7RtYb2LsA'],
    notFound: 'no such request',
  })
  requestId!: string;
}

/** A call. */
export class RequestResponse {
  @ApiProperty({
    description:
      'Names the call: the header `X-Inference-Request-Id` of its answer. Usage that a trainer reported begins with `trn_`.',
    example: 'req_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  id!: string;

  @InstantProperty({
    description:
      'When the call was settled, was refused or failed. It belongs to the hour, day and month of this time.',
  })
  created_at!: string;

  @InstantProperty({
    description:
      'When the call was admitted, by the clock of the gateway. Its prices are those of this time. When it began, if it was not admitted.',
  })
  started_at!: string;

  @ApiProperty({
    description:
      'Slug of the model. Of a call that was refused or failed what it named, shortened to 128 characters; null if it named none or was not read.',
    type: String,
    nullable: true,
    example: 'sandbox-chat',
  })
  model!: string | null;

  @ApiProperty({
    description: 'The API key of the call; null if it was made without one.',
    type: ApiKeyReference,
    nullable: true,
  })
  api_key!: ApiKeyReference | null;

  @ApiProperty({
    description:
      'The way that the call came: `gateway`, `agent`, `memo`, `training`, or what the client named.',
    example: 'gateway',
  })
  entrypoint!: string;

  @ApiProperty({
    description:
      'What was called: `chat/completions`, `completions`, `embeddings`, `messages`, `responses`, or `training/usage`.',
    example: 'chat/completions',
  })
  endpoint!: string;

  @ApiProperty({ description: 'Tokens of the prompt.', type: 'integer', example: 12 })
  input_tokens!: bigint;

  @ApiProperty({ description: 'Tokens of the answer.', type: 'integer', example: 34 })
  output_tokens!: bigint;

  @ApiProperty({
    description: 'Whether the gateway counted the tokens, because the upstream had not reported them.',
    example: false,
  })
  estimated!: boolean;

  @MoneyProperty({ description: 'Cost in the currency.', example: 0.002468 })
  cost!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;

  @ApiProperty({
    description: `${OUTCOMES} \`refused\` and \`failed\`: as in \`status\`.`,
    enum: [...USAGE_OUTCOMES, ...UNSERVED_KINDS],
  })
  outcome!: UsageOutcome | UnservedKind;

  @ApiProperty({ description: STATUS_TEXT, enum: STATUSES })
  status!: RequestStatus;

  @ApiProperty({
    description:
      'HTTP status of the answer. A stream that failed before its first token has 200. Null for usage that a trainer reported.',
    type: 'integer',
    nullable: true,
    example: 200,
  })
  http_status!: number | null;

  @ApiProperty({
    description: '`error.code` of the answer to a call that was refused or failed; otherwise null.',
    type: String,
    nullable: true,
    example: 'insufficient_balance',
  })
  error_code!: string | null;

  @ApiProperty({
    description: 'From the arrival of the call to its end in the gateway, in milliseconds. Null if unknown.',
    type: 'integer',
    nullable: true,
    example: 840,
  })
  duration_ms!: number | null;

  @ApiProperty({
    description:
      'From the arrival of the call to the first token of its stream, in milliseconds. Null for an answer that came at once, or if unknown.',
    type: 'integer',
    nullable: true,
    example: 210,
  })
  time_to_first_token_ms!: number | null;

  @ApiProperty({
    description:
      'Tokens of the answer in a second, from the first token of a stream on. Null where there is no time to the first token.',
    type: Number,
    nullable: true,
    example: 53.9,
  })
  tokens_per_second!: number | null;

  @ApiProperty({
    description:
      'Why the first answer of the call ended, as the model’s server says: `stop`, `length`, `tool_calls` and others. Null if it did not.',
    type: String,
    nullable: true,
    example: 'stop',
  })
  finish_reason!: string | null;
}

export class RequestListResponse {
  @ApiProperty({ description: 'The calls of the page, newest first.', type: [RequestResponse] })
  requests!: RequestResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;

  @InstantProperty({
    description:
      'Calls before this time are archived: most of them are not in the list, whatever it is asked for. Usage and cost reports still count them. Absent if no call of the account is archived.',
    optional: true,
  })
  archived_until?: string;
}

/** A part of the cost of a call. */
export class RequestLineResponse {
  @ApiProperty({ description: 'The unit of price and quantity.', enum: PRICE_UNITS })
  unit!: PriceUnit;

  @ApiProperty({
    description: 'Consumption in the unit, exact: 0.001234 for 1,234 tokens at per_million_tokens.',
    type: Number,
    example: 0.001234,
  })
  quantity!: ExactNumber;

  @MoneyProperty({ description: 'Price of one unit that was in force, in the currency.', example: 2 })
  price!: ExactNumber;

  @MoneyProperty({ description: 'Quantity × price, in the currency.', example: 0.002468 })
  amount!: ExactNumber;
}

export class RequestPriceListResponse {
  @ApiProperty({ description: 'Names the price list in the history of prices.', example: '7' })
  id!: string;

  @InstantProperty({ description: 'Since when the list was in force.' })
  effective_from!: string;
}

/** A call and how its cost came about. */
export class RequestDetailResponse extends RequestResponse {
  @ApiProperty({
    description: 'The parts of the cost. Their amounts add up to `cost`.',
    type: [RequestLineResponse],
  })
  lines!: RequestLineResponse[];

  @ApiProperty({
    description:
      'The price list that was in force when the call began; null for a call that was refused or failed.',
    type: RequestPriceListResponse,
    nullable: true,
  })
  price_list!: RequestPriceListResponse | null;

  @MoneyProperty({
    description:
      'Cost in USD, as the cost report counts it: each amount × `usd_per_unit`, rounded to 10⁻¹² USD. The same as `cost` where the currency is USD.',
    example: 0.002468,
  })
  cost_usd!: ExactNumber;

  @ApiProperty({
    description:
      'What one unit of the currency was worth in USD: 1, or the exchange rate of the day. Null for a call that was refused or failed.',
    type: Number,
    nullable: true,
    example: 1,
  })
  usd_per_unit!: ExactNumber | null;
}
