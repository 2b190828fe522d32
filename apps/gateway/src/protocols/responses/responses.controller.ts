import { ApiRequestHeaders } from '@inference/dto';
import { AnyQuery, BodyAs, FastPath } from '@inference/http';
import { ApiErrors, type EventStream, eventModelsOf, eventStreamContent } from '@inference/openapi';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { BROKEN_OFF, ERRORS_OF_ANSWERS, OUTPUT_LIMIT, REQUEST_ID } from '../../proxy/api-proxy.decorator';
import { ProxyHeaders } from '../../proxy/request/proxy-request.dto';
import { type Protocol } from '../protocol';
import { ProtocolsService } from '../protocols.service';
import { NATIVE_RESPONSES } from './responses-native';
import { readResponsesRequest } from './responses-request';
import { NOT_STORED_HEADER, StoredResponses } from './stored/stored-responses.service';
import { ResponseResponse, ResponsesEvent, ResponsesRequest } from './responses.dto';

const RESPONSES: Protocol = {
  endpoint: 'responses',
  read: readResponsesRequest,
  native: NATIVE_RESPONSES,
};

const EXAMPLE = `
event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1_0","output_index":0,"content_index":0,"delta":"Hello","logprobs":[]}

event: response.output_text.done
data: {"type":"response.output_text.done","sequence_number":5,"item_id":"msg_1_0","output_index":0,"content_index":0,"text":"Hello","logprobs":[]}

`;

const event = (description: string) => ({ description, data: ResponsesEvent });

/** A part of an answer: the names of its events end with `.delta` and `.done`. */
const pieces = (name: string, what: string) => ({
  [`${name}.delta`]: event(`A piece of ${what}.`),
  [`${name}.done`]: event(`The whole of ${what}.`),
});

const STREAM: EventStream = {
  example: EXAMPLE,
  events: {
    'response.created': event('The response, still empty.'),
    'response.in_progress': event('The model works.'),
    'response.output_item.added': event('An item begins.'),
    'response.content_part.added': event('A content of the item begins.'),
    ...pieces('response.output_text', 'a text'),
    ...pieces('response.refusal', 'a refusal'),
    ...pieces('response.reasoning_text', 'a thought'),
    'response.reasoning_summary_part.added': event('A summary of thoughts begins.'),
    ...pieces('response.reasoning_summary_text', 'a summary of thoughts'),
    'response.reasoning_summary_part.done': event('The summary is complete.'),
    ...pieces('response.function_call_arguments', 'the arguments of a call'),
    ...pieces('response.custom_tool_call_input', 'the input of a call'),
    'response.content_part.done': event('The content is complete.'),
    'response.output_item.done': event('The item is complete.'),
    'response.completed': event('The last event. The answer has been charged.'),
    'response.incomplete': event('The last event of an answer that was cut off. It has been charged.'),
    error: event(BROKEN_OFF),
    'response.failed': event(`The last event. ${BROKEN_OFF}`),
  },
};

const NOT_STORED = {
  [NOT_STORED_HEADER]: {
    description:
      'Why the response is not stored although the account wants it: `too_large` (8 MiB with its request), `account_full` (4 GiB of the account), `failed`, or `unwanted`, because the owner has changed that meanwhile. In streams only `too_large` of a request.',
    schema: { type: 'string' as const },
    example: 'too_large',
  },
};

/** OpenAI's Responses. */
@Controller('v1')
@ApiTags('Responses')
@AnyQuery()
@BodyAs('unparsed-json')
export class ResponsesController {
  constructor(
    private readonly protocols: ProtocolsService,
    private readonly stored: StoredResponses,
  ) {}

  @Post('responses')
  @HttpCode(200)
  @FastPath()
  @ApiOperation({
    operationId: 'createResponse',
    summary: 'Answers a conversation in the shapes of OpenAI’s Responses.',
    description:
      'OpenAI’s SDKs, their agents and Codex work unchanged. The request is translated for the model’s server, and its answer back. A field that cannot be carried over is refused by its name; what has no effect there is left out and named in `X-Ignored-Fields`. The response is stored for 30 days if the owner of the account has switched that on in the settings of the console and `store` is not false; its last event, or the answer, says in `store` whether it is. `previous_response_id` goes on from a stored one, whose conversation is charged as input; an `item_reference` in `input` stands for an item of one. The tokens are charged as those of a chat completion.',
  })
  @ApiExtraModels(ResponseResponse, ...eventModelsOf(STREAM))
  @ApiBody({ type: ResponsesRequest })
  @ApiRequestHeaders(ProxyHeaders)
  @ApiResponse({
    status: 200,
    description: 'The answer of the model.',
    headers: { ...REQUEST_ID, ...OUTPUT_LIMIT, ...NOT_STORED },
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ResponseResponse) } },
      'text/event-stream': eventStreamContent(STREAM),
    },
  })
  @ApiErrors({
    ...ERRORS_OF_ANSWERS,
    404: `${ERRORS_OF_ANSWERS[404]} \`item_not_found\`: no stored response has the item that \`input\` refers to.`,
  })
  create(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.protocols.serve(RESPONSES, request, response, this.stored);
  }
}
