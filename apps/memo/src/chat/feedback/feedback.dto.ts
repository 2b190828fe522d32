import { ChoiceField, InstantProperty, NextCursorProperty, TextField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { type Rating, RATINGS } from '../../tables/conversation.entity';

/** Chosen: a few paragraphs. Whoever has more to say talks to the admins. */
const MAX_COMMENT_CHARS = 2_000;

/** The body of PUT …/feedback. */
export class FeedbackDto {
  @ChoiceField(RATINGS, { description: 'Whether the answer has helped.', example: 'helpful' })
  rating!: Rating;

  @TextField({
    description: 'What was good or wrong. Empty without a comment.',
    example: 'The deadline is missing.',
    maxLength: MAX_COMMENT_CHARS,
    minLength: 0,
    trim: true,
    optional: true,
  })
  comment: string = '';
}

export class FeedbackResponse {
  @ApiProperty({ description: 'Whether the answer has helped.', enum: RATINGS, example: 'helpful' })
  rating!: Rating;

  @ApiProperty({ description: 'Empty without a comment.', example: 'The deadline is missing.' })
  comment!: string;

  @InstantProperty({ description: 'When the feedback was given or changed.' })
  created_at!: string;
}

export class AnswerFeedbackResponse extends FeedbackResponse {
  @ApiProperty({ description: 'The id of the answer.', example: 'msg_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  message_id!: string;

  @ApiProperty({
    description: 'The id of the account that asked.',
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  user_id!: string;

  @ApiProperty({
    description: 'The address of the account that asked, if other members see it.',
    example: 'ann@example.com',
    type: 'string',
    nullable: true,
  })
  email!: string | null;

  @ApiProperty({ description: 'What was asked.', example: 'Within how many days are refunds issued?' })
  question!: string;

  @ApiProperty({ description: 'What was answered.', example: 'Within five days [1].' })
  answer!: string;
}

export class FeedbackListResponse {
  @ApiProperty({ description: 'How many answers have helped.', type: 'integer', example: 12 })
  helpful!: number;

  @ApiProperty({ description: 'How many answers have not helped.', type: 'integer', example: 1 })
  unhelpful!: number;

  @ApiProperty({ description: 'A page of the feedback, newest first.', type: [AnswerFeedbackResponse] })
  feedback!: AnswerFeedbackResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
