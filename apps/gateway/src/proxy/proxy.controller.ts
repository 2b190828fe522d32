import { AnyQuery, BodyAs, FastPath } from '@inference/http';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { type Endpoint } from '../upstreams/upstream';
import { ApiProxy } from './api-proxy.decorator';
import {
  ChatCompletionChunk,
  CompletionChunk,
  CompletionResponse,
  EmbeddingsResponse,
} from './completion.response';
import { ProxyService } from './proxy.service';
import { beginCall } from './request/entrypoint';
import { ChatCompletionRequest, CompletionRequest, EmbeddingsRequest } from './request/proxy-request.dto';

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
    return this.proxies.proxy(beginCall(endpoint, request), request.body, response);
  }
}
