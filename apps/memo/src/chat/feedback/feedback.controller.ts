import { Accepts } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import { MessagePath } from '../conversations/conversation.dto';
import { FeedbackDto, FeedbackListResponse, FeedbackResponse } from './feedback.dto';
import { FeedbackService } from './feedback.service';

const NO_SUCH_ANSWER = {
  404: 'The caller has no such conversation in the workspace, or it has no such answer.',
};
const ANSWER_PATH = 'conversations/:conversation_id/messages/:message_id/feedback';

@Controller('v1/workspaces/:workspace_id')
@ApiTags('Feedback')
export class FeedbackController {
  constructor(private readonly feedback: FeedbackService) {}

  @Put(ANSWER_PATH)
  @ApiErrors(NO_SUCH_ANSWER)
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'giveFeedback',
    summary: 'Says whether an answer has helped.',
    description:
      'The admins of the workspace then read the question, the answer and the comment. Replaces the feedback that was given before.',
  })
  @ApiOkResponse({ description: 'The feedback.', type: FeedbackResponse })
  give(
    @CurrentMember() member: Member,
    @Param() { conversation_id: conversationId, message_id: messageId }: MessagePath,
    @Body() body: FeedbackDto,
  ): Promise<FeedbackResponse> {
    return this.feedback.give(member, { conversationId, messageId }, body);
  }

  @Delete(ANSWER_PATH)
  @ApiErrors(NO_SUCH_ANSWER)
  @RequiresRole('viewer')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'withdrawFeedback',
    summary: 'Withdraws the feedback on an answer.',
    description: 'Without feedback nothing happens.',
  })
  @ApiNoContentResponse({ description: 'There is no feedback on the answer.' })
  withdraw(
    @CurrentMember() member: Member,
    @Param() { conversation_id: conversationId, message_id: messageId }: MessagePath,
  ): Promise<void> {
    return this.feedback.withdraw(member, { conversationId, messageId });
  }

  @Get('feedback')
  @Accepts('session')
  @RequiresRole('admin')
  @ApiOperation({
    operationId: 'listFeedback',
    summary: 'Lists what members think of answers. Needs the role admin.',
  })
  @ApiOkResponse({ description: 'The counts, and a page of the list.', type: FeedbackListResponse })
  list(@CurrentMember() member: Member, @Query() query: PageQuery): Promise<FeedbackListResponse> {
    return this.feedback.list(member, query);
  }
}
