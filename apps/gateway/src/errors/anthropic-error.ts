import { ApiOpenObject } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';
import { type Request } from 'express';
import { type OpenAiErrorBody } from './openai-error';

@ApiOpenObject()
class AnthropicErrorDetails {
  @ApiProperty({ description: 'For programs.', example: 'model_not_found' })
  error_code!: string;

  @ApiProperty({
    required: false,
    description:
      'With `insufficient_balance`: the page that proposes to top up the missing amount, beside the amounts of the OpenAI error.',
    example: 'https://console.example.com/top-up?amount=0.23',
  })
  top_up_url?: string;
}

@ApiOpenObject()
class AnthropicError {
  @ApiProperty({
    description: 'The kind of error; it follows from the status.',
    example: 'not_found_error',
  })
  type!: string;

  @ApiProperty({
    description: 'What is wrong, for people.',
    example: 'The model `x` does not exist or is not offered here.',
  })
  message!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    required: false,
    description:
      'The field or header at fault, as in the errors of OpenAI. Absent in what an upstream that speaks Messages says itself.',
    example: 'model',
  })
  param?: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    required: false,
    description:
      'For programs, as in the errors of OpenAI. Absent in what an upstream that speaks Messages says itself.',
    example: 'model_not_found',
  })
  code?: string | null;

  @ApiProperty({ required: false, description: 'Where Anthropic’s SDKs read the code. Absent without one.' })
  details?: AnthropicErrorDetails;
}

/** The body of Anthropic's errors. */
@ApiOpenObject()
export class AnthropicErrorResponse {
  @ApiProperty({ enum: ['error'], description: 'Always `error`.' })
  type!: 'error';

  @ApiProperty({ description: 'The error.' })
  error!: AnthropicError;

  @ApiProperty({
    type: 'string',
    nullable: true,
    required: false,
    description:
      'Names the request in the usage of the account. Null if it is not recorded. Absent in what an upstream that speaks Messages says itself.',
    example: 'req_0123456789abcdef',
  })
  request_id?: string | null;
}

const TYPE_BY_STATUS: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** An error in Anthropic's body, which has the members of OpenAI's error, too. */
export function anthropicErrorBody(
  status: number,
  { type: _type, message, param, code, ...details }: OpenAiErrorBody['error'],
  requestId: string | null,
) {
  const type = TYPE_BY_STATUS[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return {
    type: 'error',
    error: {
      type,
      message,
      param,
      code,
      ...(code !== null && { details: { error_code: code, ...details } }),
    },
    request_id: requestId,
  };
}

/**
 * Whether a client expects Anthropic's bodies. Models are listed in either shape: Anthropic's SDK sends `anthropic-version` with every
 * request. Elsewhere the path decides, since gateways of customers add that header to all they pass on; at an unknown path both do.
 */
export const speaksAnthropic = ({
  path,
  headers,
  route,
}: Pick<Request, 'path' | 'headers' | 'route'>): boolean =>
  /^\/v1\/messages(\/|$)/i.test(path) ||
  (headers['anthropic-version'] !== undefined &&
    (/^\/v1\/models(\/|$)/i.test(path) || (!route && /\/messages(\/|$)/i.test(path))));
