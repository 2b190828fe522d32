import { callerOf } from '@inference/guards';
import { AnyQuery, BodyAs, FastPath, holdMore, requireConnected } from '@inference/http';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { AdmissionService } from '../../proxy/admission/admission.service';
import { receiveProxyRequest } from '../../proxy/request/proxy-request';
import { weighLong } from '../../proxy/usage/json-weight';
import { promptTokens } from '../../proxy/usage/prompt-tokens';
import { readBody } from '../json';
import { type Protocol } from '../protocol';
import { ProtocolsService } from '../protocols.service';
import { ApiAnthropic, ApiMessages } from './messages.decorator';
import { CountTokensRequest, CountTokensResponse } from './messages.dto';
import { NATIVE_MESSAGES } from './messages-native';
import { readMessagesRequest } from './messages-request';
import { TokenCounts } from './token-counts.service';

const MESSAGES: Protocol = {
  endpoint: 'messages',
  read: readMessagesRequest,
  native: NATIVE_MESSAGES,
};

/** Anthropic's Messages. */
@Controller('v1')
@ApiTags('Messages')
@AnyQuery()
@BodyAs('unparsed-json')
export class MessagesController {
  constructor(
    private readonly protocols: ProtocolsService,
    private readonly admissions: AdmissionService,
    private readonly counts: TokenCounts,
  ) {}

  @Post('messages')
  @HttpCode(200)
  @FastPath()
  @ApiMessages()
  create(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.protocols.serve(MESSAGES, request, response);
  }

  @Post('messages/count_tokens')
  @HttpCode(200)
  @ApiAnthropic(
    {
      operationId: 'countMessageTokens',
      summary: 'Counts the tokens of a conversation.',
      description:
        'Takes the body of `POST /v1/messages`. A server of the model that speaks Messages counts; without one the gateway estimates. The model is not called, and nothing is charged.',
    },
    CountTokensRequest,
  )
  @ApiOkResponse({ description: 'The tokens of the prompt.', type: CountTokensResponse })
  async count(@Req() request: Request): Promise<CountTokensResponse> {
    const stayConnected = () => requireConnected(request.res!);
    const body = await readBody(request.body, {
      beforeSlice: stayConnected,
      reserve: (bytes) => holdMore(request, bytes),
    });
    const { chat, hasServerTools } = await body.work(readMessagesRequest(body, true));
    const counted = await receiveProxyRequest('chat/completions', await body.writeWhole(chat), stayConnected);
    counted.native = { protocol: 'messages', raw: request.body as Buffer, hasServerTools };
    await weighLong(counted, stayConnected);
    const caller = callerOf(request);
    const { model, mayBeNative } = await this.admissions.bound(counted, caller, true);
    const count = await this.counts.countOf(model, request, request.res!, caller);
    return { input_tokens: count ?? promptTokens(counted, mayBeNative) };
  }
}
