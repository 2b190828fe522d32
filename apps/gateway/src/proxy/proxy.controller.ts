import { compileValidator } from '@inference/dto';
import { type Caller, callerOf } from '@inference/guards';
import { AnyQuery, BodyAs, FastPath } from '@inference/http';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { CallNotes, DEFAULT_ENTRYPOINT } from '../unserved-calls/call-notes';
import { type Endpoint } from '../upstreams/upstream';
import { ApiProxy } from './api-proxy.decorator';
import {
  ChatCompletionChunk,
  CompletionChunk,
  CompletionResponse,
  EmbeddingsResponse,
} from './completion.response';
import { ProxyService } from './proxy.service';
import {
  ChatCompletionRequest,
  CompletionRequest,
  EmbeddingsRequest,
  ProxyHeaders,
} from './request/proxy-request.dto';
import { InvalidHeaderError, ReservedEntrypointError } from './request/request.errors';

/** Entrypoints of the platform's own services; customers cannot use them. */
const RESERVED = new Set(['agent', 'memo', 'console', 'training']);

const faultsOf = compileValidator(ProxyHeaders);

/**
 * Reads the origin of a request from `X-Entrypoint`; the cost report groups by it. A service that acts on behalf of an
 * account can name only itself, which is also its default. Throws InvalidHeaderError, ReservedEntrypointError.
 */
function readEntrypoint(header: string | undefined, { service }: Caller): string {
  if (header === undefined) return service ?? DEFAULT_ENTRYPOINT;
  const [fault] = faultsOf({ 'X-Entrypoint': header });
  if (fault) throw new InvalidHeaderError(fault);
  if (service === undefined && RESERVED.has(header))
    throw new ReservedEntrypointError(`The entrypoint ${header} is set by the platform itself.`);
  if (service !== undefined && header !== service)
    throw new ReservedEntrypointError(`The entrypoint of ${service} is ${service}.`);
  return header;
}

const CHAT_EXAMPLE = `
data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"sandbox-chat","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"sandbox-chat","choices":[{"index":0,"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"sandbox-chat","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"sandbox-chat","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}

data: [DONE]

`;

const COMPLETION_EXAMPLE = `
data: {"id":"cmpl-1","object":"text_completion","created":1790000000,"model":"sandbox-chat","choices":[{"index":0,"text":" Hello","logprobs":null,"finish_reason":null}]}

data: {"id":"cmpl-1","object":"text_completion","created":1790000000,"model":"sandbox-chat","choices":[{"index":0,"text":"","logprobs":null,"finish_reason":"length"}]}

data: [DONE]

`;

/** The model endpoints, in OpenAI's shapes. */
@Controller('v1')
@ApiTags('Models')
@AnyQuery()
@BodyAs('unparsed-json')
export class ProxyController {
  constructor(private readonly proxies: ProxyService) {}

  @Post('chat/completions')
  @HttpCode(200)
  @FastPath()
  @ApiProxy({
    operationId: 'createChatCompletion',
    summary: 'Answers a conversation.',
    request: ChatCompletionRequest,
    response: CompletionResponse,
    stream: { chunk: ChatCompletionChunk, example: CHAT_EXAMPLE },
  })
  chat(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.proxy('chat/completions', request, response);
  }

  @Post('completions')
  @HttpCode(200)
  @FastPath()
  @ApiProxy({
    operationId: 'createCompletion',
    summary: 'Continues a text.',
    request: CompletionRequest,
    response: CompletionResponse,
    stream: { chunk: CompletionChunk, example: COMPLETION_EXAMPLE },
  })
  complete(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.proxy('completions', request, response);
  }

  @Post('embeddings')
  @HttpCode(200)
  @FastPath()
  @ApiProxy({
    operationId: 'createEmbeddings',
    summary: 'Returns vectors of texts.',
    request: EmbeddingsRequest,
    response: EmbeddingsResponse,
  })
  embed(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.proxy('embeddings', request, response);
  }

  private proxy(endpoint: Endpoint, request: Request, response: Response): Promise<void> {
    const caller = callerOf(request);
    const call = (request.call = new CallNotes(endpoint, caller));
    call.entrypoint = readEntrypoint(request.get('X-Entrypoint'), caller);
    return this.proxies.proxy(call, request.body, response);
  }
}
