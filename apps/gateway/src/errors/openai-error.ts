import { ApiOpenObject } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';

@ApiOpenObject()
class OpenAiError {
  @ApiProperty({
    description: 'What is wrong, for people.',
    example: 'The model `x` does not exist or is not offered here.',
  })
  message!: string;

  @ApiProperty({
    description: 'The kind of error; it follows from the status.',
    example: 'invalid_request_error',
  })
  type!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The field or header at fault.',
    example: 'model',
  })
  param!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'For programs.', example: 'model_not_found' })
  code!: string | null;

  @ApiProperty({
    description:
      'With `insufficient_balance`: what the wallet has free, in `currency`. Amounts are exact decimal texts.',
    required: false,
    example: '0.12',
  })
  available_amount?: string;

  @ApiProperty({
    description: 'With `insufficient_balance`: the most that the request can cost.',
    required: false,
    example: '0.345',
  })
  required_amount?: string;

  @ApiProperty({
    description: 'With `insufficient_balance`: the difference, which has to be topped up at least.',
    required: false,
    example: '0.225',
  })
  missing_amount?: string;

  @ApiProperty({
    description:
      'With a refusal for want of money: the highest limit of the answer that the money covers. Absent if it covers none.',
    required: false,
    example: '2000',
  })
  affordable_output_tokens?: string;

  @ApiProperty({
    description: 'With `already_charged`: the call, as the console names it.',
    required: false,
    example: 'req_0123456789abcdef',
  })
  request_id?: string;

  @ApiProperty({
    description: 'With `already_charged`: what the call was charged, in the site’s currency.',
    required: false,
    example: '0.0000222',
  })
  cost?: string;

  @ApiProperty({
    description:
      'With `rate_limit_exceeded`: which limit, such as `key_requests_per_minute` or `account_tokens_per_minute`.',
    required: false,
    example: 'key_requests_per_minute',
  })
  limit?: string;

  @ApiProperty({ description: 'The currency of the amounts.', required: false, example: 'USD' })
  currency?: string;

  @ApiProperty({
    description: 'With `insufficient_balance`: the page that proposes to top up the missing amount.',
    required: false,
    example: 'https://console.example.com/top-up?amount=0.23',
  })
  top_up_url?: string;
}

/** The body of OpenAI's errors. */
@ApiOpenObject()
export class OpenAiErrorResponse {
  @ApiProperty({ description: 'The error.' })
  error!: OpenAiError;
}

/** The reasons for which the gateway refuses or fails a request. Part of the API: clients read them as `error.code`. */
type GatewayErrorCode =
  | 'account_suspended'
  | 'api_key_suspended'
  | 'already_charged'
  | 'billing_unavailable'
  | 'billing_unknown'
  | 'exchange_rate_missing'
  | 'idempotency_key_in_use'
  | 'idempotency_key_reused'
  | 'insufficient_balance'
  | 'invalid_form'
  | 'invalid_header'
  | 'invalid_json'
  | 'invalid_value'
  | 'item_not_found'
  | 'key_spend_limit_reached'
  | 'model_not_allowed'
  | 'model_not_found'
  | 'previous_response_not_found'
  | 'protocol_not_served'
  | 'rate_limit_exceeded'
  | 'reserved_entrypoint'
  | 'response_not_found'
  | 'synchronous_response'
  | 'thread_unsupported_request'
  | 'upstream_busy'
  | 'upstream_error'
  | 'upstream_timeout';

/** Base class of the domain errors of the gateway. The message is shown to the client; `openai-error.ts` adds the HTTP status. */
export abstract class GatewayError extends Error {
  constructor(
    readonly code: GatewayErrorCode,
    message: string,
    /** The field or header at fault. */
    readonly param?: string,
    /** Further members of `error` in the body. */
    readonly details?: Record<string, string>,
    public headers?: Record<string, string>,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** The body of OpenAI's error responses. */
export interface OpenAiErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null } & Record<
    string,
    string | null
  >;
}

const STATUS_BY_CODE: Record<GatewayErrorCode, number> = {
  account_suspended: 403,
  api_key_suspended: 401,
  already_charged: 409,
  billing_unavailable: 503,
  billing_unknown: 503,
  exchange_rate_missing: 503,
  idempotency_key_in_use: 409,
  idempotency_key_reused: 409,
  insufficient_balance: 402,
  invalid_form: 400,
  invalid_header: 400,
  invalid_json: 400,
  invalid_value: 400,
  item_not_found: 404,
  key_spend_limit_reached: 402,
  model_not_allowed: 403,
  model_not_found: 404,
  previous_response_not_found: 400,
  protocol_not_served: 400,
  rate_limit_exceeded: 429,
  reserved_entrypoint: 403,
  response_not_found: 404,
  synchronous_response: 400,
  thread_unsupported_request: 400,
  upstream_busy: 429,
  upstream_error: 502,
  upstream_timeout: 504,
};

const TYPE_BY_STATUS: Record<number, string> = {
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** Also of the types that servers with other protocols give. */
const STATUS_BY_TYPE: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  insufficient_quota: 402,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  server_error: 500,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** The status of a code of the gateway; undefined for another one. */
export const statusOfCode = (code: unknown): number | undefined => lookUp(STATUS_BY_CODE, code);

/** The status of a type of error; undefined for one that is not known. */
export const statusOfType = (type: unknown): number | undefined => lookUp(STATUS_BY_TYPE, type);

const lookUp = (statuses: Record<string, number>, name: unknown): number | undefined =>
  typeof name === 'string' && Object.hasOwn(statuses, name) ? statuses[name] : undefined;

/** Builds an error body; its `type` follows from the HTTP status. */
export function openAiErrorBody(
  status: number,
  message: string,
  {
    code,
    param,
    details,
  }: {
    code?: string | undefined;
    param?: string | undefined;
    details?: Record<string, string> | undefined;
  } = {},
): OpenAiErrorBody {
  const type = TYPE_BY_STATUS[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message, type, param: param ?? null, code: code ?? null, ...details } };
}

/** A request that may have been charged, or is answered in the same way again, must not be repeated by itself. The SDKs of OpenAI obey this header. */
const HEADERS_BY_CODE: Partial<Record<GatewayErrorCode, Record<string, string>>> = {
  already_charged: { 'x-should-retry': 'false' },
  billing_unknown: { 'x-should-retry': 'false' },
  idempotency_key_in_use: { 'Retry-After': '1' },
  idempotency_key_reused: { 'x-should-retry': 'false' },
};

/** Maps a domain error to the HTTP status, body and headers that the client gets. */
export function toOpenAiError(error: GatewayError): {
  status: number;
  body: OpenAiErrorBody;
  headers: Record<string, string>;
} {
  const status = STATUS_BY_CODE[error.code];
  return {
    status,
    body: openAiErrorBody(status, error.message, error),
    headers: { ...HEADERS_BY_CODE[error.code], ...error.headers },
  };
}
