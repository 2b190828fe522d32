import { Body, Controller, HttpCode, type MessageEvent, RequestMethod, Res, Sse } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiEventStream, OPTIONAL_WAIT } from '@inference/openapi';
import { type Response } from 'express';
import { type Observable } from 'rxjs';
import { CurrentMember, type Member } from '../access/member';
import { RequiresRole } from '../access/workspace.guard';
import { ApiCodedErrors } from '../api-coded-errors.decorator';
import { AnswerErrorEvent, ChatDto } from './conversations/conversation.dto';
import { ChatService } from './chat.service';

/** Refusals of the gateway are passed on with their statuses. */
const ERRORS = {
  400: 'A field is missing or malformed, or the gateway refuses the model call.',
  401: 'The credential is missing, expired or invalid, or the account that pays is gone.',
  402: 'The wallet does not cover the most that the answer can cost.',
  403: 'The account may not use the chat model.',
  404: 'The caller has no such conversation in the workspace, the workspace has not all of the documents in `document_ids`, or the chat model is not published.',
  413: 'The body or the question for the model is too large.',
  422: 'The gateway cannot process the model call.',
  429: {
    description:
      'Too many requests. Wait for the seconds in `Retry-After`; without it, the question is larger than a limit of tokens and no wait helps.',
    headers: OPTIONAL_WAIT,
  },
  502: 'The model could not answer.',
  503: 'The service stops, or the database or the gateway is not available.',
  504: 'The model did not answer in time.',
};

const EXAMPLE = `:${' '}

data: Within five

data:  days

data:  [1].

data: Citations: [1] "Refund policy" (doc_0VbmfxQNaQCwppW0Orrioh#0): "Refunds are issued within five days of the return."

`;

@Controller('v1/workspaces/:workspace_id')
@ApiTags('Chat')
export class ChatController {
  constructor(private readonly chats: ChatService) {}

  @Sse('chat', { method: RequestMethod.POST })
  @HttpCode(200)
  @ApiCodedErrors(ERRORS)
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'askWorkspace',
    summary: 'Answers a question from the documents of a workspace.',
    description:
      'The answer is streamed and cites the documents with markers such as `[1]`. The question and the answer are stored in a conversation.',
  })
  @ApiEventStream({
    description: 'The answer.',
    headers: {
      'X-Conversation-Id': {
        description: 'The id of the conversation.',
        required: true,
        schema: { type: 'string' },
      },
    },
    events: {
      message: {
        description:
          'The next part of the answer: append it as it is. The last event of a complete answer is one line that starts with `Citations:`, followed by `none` or by `[n] "title" (document#chunk): "snippet"` for each marker.',
      },
      error: {
        description: 'The answer broke off. The last event; no citations follow.',
        data: AnswerErrorEvent,
      },
    },
    example: EXAMPLE,
  })
  chat(
    @CurrentMember() member: Member,
    @Body() body: ChatDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    return this.chats.answer(member, body, response);
  }
}
