import { IdField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { SearchDto } from '../retrieval/search/search.dto';

/** The body of POST …/chat. */
export class ChatDto extends SearchDto {
  @IdField({
    description: 'The conversation that the question continues. Absent: a new conversation starts.',
    noun: 'conversation',
    prefix: 'conv',
    optional: true,
  })
  conversation_id?: string;
}

/** The data of an `event: error`, the last event of an answer that broke off. */
export class AnswerErrorEvent {
  @ApiProperty({
    description: 'What is wrong, for people.',
    example: 'The service stopped in the middle of this answer. Ask again.',
  })
  error!: string;

  @ApiProperty({
    description: 'The reason, for programs. It does not change between versions.',
    example: 'interrupted',
  })
  code!: string;

  @ApiProperty({ description: 'Whether the same question may succeed later.', example: true })
  retryable!: boolean;
}
