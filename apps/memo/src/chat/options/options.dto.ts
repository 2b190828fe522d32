import { ApiProperty } from '@nestjs/swagger';
import { MEDIA_TYPES, type MediaType } from '../../tables/media-type';

export class UploadFormatResponse {
  @ApiProperty({ description: 'The format.', enum: MEDIA_TYPES, example: 'application/pdf' })
  media_type!: MediaType;

  @ApiProperty({
    description: 'The ends of its file names, without the dot.',
    type: [String],
    example: ['pdf'],
  })
  extensions!: string[];
}

export class WorkspaceOptionsResponse {
  @ApiProperty({ description: 'Most bytes of one file.', type: 'integer', example: 104_857_600 })
  max_document_bytes!: number;

  @ApiProperty({ description: 'Most documents in the workspace.', type: 'integer', example: 100_000 })
  max_documents!: number;

  @ApiProperty({
    description: 'Most bytes of documents in the workspace.',
    type: 'integer',
    example: 10_737_418_240,
  })
  max_bytes!: number;

  @ApiProperty({ description: 'The formats whose text is extracted.', type: [UploadFormatResponse] })
  formats!: UploadFormatResponse[];

  @ApiProperty({
    description: 'Most documents that a question can be restricted to.',
    type: 'integer',
    example: 100,
  })
  max_chosen_documents!: number;

  @ApiProperty({
    description:
      'The model that writes the answers, at the cost of who asks; null: answers are sentences of the documents and free.',
    type: 'string',
    nullable: true,
    example: 'sandbox-chat',
  })
  chat_model!: string | null;

  @ApiProperty({
    description:
      'The model by which passages are also found by their meaning, at the cost of who asks; null: by words only.',
    type: 'string',
    nullable: true,
    example: null,
  })
  embedding_model!: string | null;
}

/** What a document is about, in its own words. */
export class TopicResponse {
  @ApiProperty({ description: 'The id of the document.', example: 'doc_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  document_id!: string;

  @ApiProperty({
    description: 'The heading at the beginning of the document, or its title.',
    example: 'Refund policy',
  })
  topic!: string;
}

export class TopicListResponse {
  @ApiProperty({ description: 'Of the newest documents, each different.', type: [TopicResponse] })
  topics!: TopicResponse[];
}
