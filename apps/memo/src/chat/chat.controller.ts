import { Controller, HttpCode, RequestMethod, Res, Sse } from '@nestjs/common';
import { ValidBody } from '@inference/http';
import { type Response } from 'express';
import { CurrentMember, type Member } from '../access/member';
import { RequiresRole } from '../access/workspace.guard';
import { chatBody, type ChatBody } from './chat.dto';
import { ChatService } from './chat.service';

@Controller('v1/workspaces/:workspace_id')
export class ChatController {
  constructor(private readonly chats: ChatService) {}

  /** Answers with a text stream: the answer, then the line of its citations. */
  @Sse('chat', { method: RequestMethod.POST })
  @HttpCode(200)
  @RequiresRole('viewer')
  chat(
    @CurrentMember() member: Member,
    @ValidBody(chatBody) body: ChatBody,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.chats.answer(member, body, response);
  }
}
