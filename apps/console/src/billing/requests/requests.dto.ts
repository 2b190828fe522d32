import { type Currency } from '@inference/config';
import {
  ChoiceField,
  CurrencyProperty,
  InstantProperty,
  MoneyProperty,
  NextCursorProperty,
  TextField,
} from '@inference/dto';
import {
  type LineConditions,
  type Meter,
  METERS,
  PRICE_UNITS,
  type PriceUnit,
  UNSERVED_KINDS,
  type UnservedKind,
  USAGE_FAULTS,
  USAGE_OUTCOMES,
  type UsageFault,
  type UsageOutcome,
} from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { ApiProperty, IntersectionType, OmitType } from '@nestjs/swagger';
import { ApiKeyReference } from '../../identity/api-keys/api-keys.dto';
import { ApiKeyFilter, EntrypointFilter, ModelFilter } from '../../validation/call-filters.decorator';
import { TimeRangeQuery } from '../../validation/time-range.dto';

const OUTCOMES =
  '`completed`: the whole answer was served; `disconnected`: the client left before its end; `interrupted`: the upstream failed in the middle of it.';

const STATUSES = ['charged', ...UNSERVED_KINDS] as const;
export type RequestStatus = (typeof STATUSES)[number];

const STATUS_TEXT =
  '`charged`: served, wholly or in part, also if that cost nothing; `refused`: the request, the wallet or a limit was the reason; `failed`: the platform or the model’s server was. The latter two cost nothing and are kept for 30 days.';

export class RequestsQuery extends TimeRangeQuery {
  @ModelFilter()
  model?: string;

  @ApiKeyFilter()
  api_key_id?: string;

  @EntrypointFilter()
  entrypoint?: string;

  @TextField({
    description:
      'Only calls that their client has named so, in `X-Client-Request-Id` or `X-Request-Id`. Names are kept for 90 days.',
    example: 'job-4711',
    pattern: [/^[\x20-\x7e]{1,255}$/, 'must have 1 to 255 printable ASCII characters'],
    optional: true,
  })
  client_request_id?: string;

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

/** The conditions of a price; those that it has. */
class LineConditionsResponse implements LineConditions {
  @ApiProperty({
    description: 'The call had at least so many tokens of input, cached ones included.',
    type: 'integer',
    required: false,
    example: 200_000,
  })
  min_input_tokens?: number;

  @ApiProperty({
    description: 'The model’s server reported that it served the call so.',
    required: false,
    example: 'flex',
  })
  service_tier?: string;

  @ApiProperty({
    description: 'The call began in this daily window in the time zone of the site.',
    required: false,
    example: '16:30-00:30',
  })
  hours?: string;

  @InstantProperty({ description: 'The price became effective at this time.', optional: true })
  effective_from?: string;
}

/** A part of the cost of a call. */
export class RequestLineResponse {
  @ApiProperty({
    description:
      'What was counted. Each token is on one line: one that was read from the cache is not among those of `input`. Null for usage of training and for calls of earlier versions.',
    enum: METERS,
    nullable: true,
    example: 'cached_input',
  })
  meter!: Meter | null;

  @ApiProperty({
    description:
      'The unit of price and quantity. What has no price of its own is charged at that of what it is a part of.',
    enum: PRICE_UNITS,
  })
  unit!: PriceUnit;

  @ApiProperty({
    description: 'The conditions of the price that held for the call; null if it has none.',
    type: LineConditionsResponse,
    nullable: true,
  })
  conditions!: LineConditions | null;

  @ApiProperty({
    description:
      'Consumption in the unit, exact: 0.001234 for 1,234 tokens at per_million_tokens. Minutes to 12 decimals.',
    type: Number,
    example: 0.001234,
  })
  quantity!: ExactNumber;

  @MoneyProperty({ description: 'Price of one unit that was in force, in the currency.', example: 2 })
  price!: ExactNumber;

  @MoneyProperty({
    description: 'Quantity × price, in the currency. Of seconds of audio rounded up to 10⁻¹².',
    example: 0.002468,
  })
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
    description:
      'What the client named the call in `X-Client-Request-Id`, or else in `X-Request-Id`. Null if it sent none of 1 to 255 printable ASCII characters, and 90 days after the call.',
    type: String,
    nullable: true,
    example: 'job-4711',
  })
  client_request_id!: string | null;

  @ApiProperty({
    description:
      'What was wrong with the usage that the model’s server reported; the larger figure was charged. `invalid_count`: a figure was no count; `no_output_tokens`: none for an answer that has text, which cost nothing; `parts_above_whole`: a detail was more than the figure that it is a part of; `total_above_parts`, `total_below_parts`: the total was not the sum of prompt and answer. Null: nothing.',
    enum: USAGE_FAULTS,
    nullable: true,
    example: 'total_below_parts',
  })
  usage_fault!: UsageFault | null;

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

/** What the operator sees of a call beside what its account sees. */
export class OperatorFacts {
  @ApiProperty({
    description: 'The server of the model that was asked last. Null if none was.',
    type: String,
    nullable: true,
    example: 'engine-1',
  })
  upstream!: string | null;

  @ApiProperty({
    description:
      'From the arrival of a call that was not served to the first byte of the server’s answer, in milliseconds. Null if none came, and for a call that was served.',
    type: 'integer',
    nullable: true,
    example: 95,
  })
  time_to_first_byte_ms!: number | null;
}

class OperatorRequestResponse extends IntersectionType(RequestResponse, OperatorFacts) {}

export class OperatorRequestListResponse extends OmitType(RequestListResponse, ['requests']) {
  @ApiProperty({ description: 'The calls of the page, newest first.', type: [OperatorRequestResponse] })
  requests!: OperatorRequestResponse[];
}

export class OperatorRequestDetailResponse extends IntersectionType(RequestDetailResponse, OperatorFacts) {}

/** A call of any account. */
export class AnyRequestDetailResponse extends OperatorRequestDetailResponse {
  @ApiProperty({ description: 'The account that made it.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  account_id!: string;
}
