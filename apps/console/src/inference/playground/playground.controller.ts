import { type Caller, CurrentCaller } from '@inference/guards';
import { BodyAs } from '@inference/http';
import { eventModelsOf, type EventStream, eventStreamContent } from '@inference/openapi';
import { applyDecorators, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { GatewayProxy } from '../service-proxy/service-proxies';
import {
  PlaygroundAnswer,
  PlaygroundChunk,
  PlaygroundErrorResponse,
  PlaygroundEstimate,
  PlaygroundModels,
  PlaygroundRequest,
} from './playground.dto';

/** As at the gateway: room for long conversations that contain pictures. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;
const CHAT = '/v1/chat/completions';

const EVENTS: EventStream = {
  example: `
data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`,
  events: {
    message: {
      description: 'Events have no names.',
      data: [
        { description: 'A piece of the answer, its usage, or an error.', data: PlaygroundChunk },
        { description: 'The last event. A complete answer has been charged.', data: '[DONE]' },
      ],
    },
  },
};

const ApiPlaygroundErrors = (reasons: Record<number, string>) =>
  applyDecorators(
    ...Object.entries(reasons).map(([status, description]) =>
      ApiResponse({ status: Number(status), description, type: PlaygroundErrorResponse }),
    ),
  );

const COMMON_ERRORS = {
  500: 'An unexpected fault of the console or the gateway.',
  429: 'Too many requests at the console, or at the gateway or the model’s server. Wait for the seconds in `Retry-After`.',
  503: '`gateway_unavailable`: the gateway cannot be reached. Other codes are the gateway’s. Or the database is not available.',
  504: '`gateway_timeout`, `upstream_timeout`: there was no answer in time.',
};
const REQUEST_ERRORS = {
  ...COMMON_ERRORS,
  400: 'A field is missing or malformed.',
  413: 'The body is too large, at the console or for the model’s server.',
  403: 'The account may not use the model.',
  404: '`model_not_found`: the model does not exist or is not offered. `not_offered`: the site has no playground.',
};

/** Models for the pages of the console. The gateway decides on everything; it charges the account with the entrypoint `console`. */
@Controller('api/playground')
@ApiTags('Playground')
@BodyAs('unparsed-json', BODY_LIMIT_BYTES)
export class PlaygroundController {
  constructor(private readonly gateway: GatewayProxy) {}

  @Post('chat/completions')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'createPlaygroundCompletion',
    summary: 'Answers a conversation.',
    description:
      'Request and answer are those of the gateway’s `POST /v1/chat/completions`; errors have the shape of the console. The account is charged, no API key is needed. With `stream` the answer is server-sent events; who disconnects pays for what was produced.',
  })
  @ApiExtraModels(PlaygroundAnswer, ...eventModelsOf(EVENTS))
  @ApiBody({ type: PlaygroundRequest })
  @ApiResponse({
    status: 200,
    description: 'The answer of the model.',
    headers: {
      'X-Inference-Request-Id': {
        description: 'Names the request in the usage of the account.',
        schema: { type: 'string' },
      },
    },
    content: {
      'application/json': { schema: { $ref: getSchemaPath(PlaygroundAnswer) } },
      'text/event-stream': eventStreamContent(EVENTS),
    },
  })
  @ApiPlaygroundErrors({
    ...REQUEST_ERRORS,
    402: '`insufficient_balance`: the wallet does not cover the largest possible cost.',
    422: 'The model’s server refuses the request.',
    502: 'No server of the model gave a usable answer.',
  })
  chat(@CurrentCaller() caller: Caller, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.gateway.forward({ caller, request, response }, CHAT);
  }

  @Post('estimate')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'estimatePlaygroundCompletion',
    summary: 'Returns the most that a conversation can cost.',
    description:
      'Takes the body of `POST /api/playground/chat/completions`, byte for byte. The figure is what the gateway reserves for that request. The model is not called, and nothing is reserved or charged.',
  })
  @ApiBody({ type: PlaygroundRequest })
  @ApiOkResponse({ description: 'The largest cost.', type: PlaygroundEstimate })
  @ApiPlaygroundErrors(REQUEST_ERRORS)
  estimate(
    @CurrentCaller() caller: Caller,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.gateway.forward({ caller, request, response }, `${CHAT}/estimate`);
  }

  @Get('models')
  @ApiOperation({
    operationId: 'listPlaygroundModels',
    summary: 'Lists the models that the account may use.',
  })
  @ApiOkResponse({ description: 'The models.', type: PlaygroundModels })
  @ApiPlaygroundErrors({ ...COMMON_ERRORS, 404: '`not_offered`: the site has no playground.' })
  models(@CurrentCaller() caller: Caller, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.gateway.forward({ caller, request, response }, '/v1/models');
  }
}
