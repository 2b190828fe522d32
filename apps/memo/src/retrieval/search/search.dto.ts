import { InstantField, IntegerField, TextField, TextListField } from '@inference/dto';
import { type InstantMicros } from '@inference/time';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { type Metadata } from '../../tables/document-version.entity';
import { MetadataField } from '../../tables/metadata-field.decorator';
import { type DocumentConditions } from './document-conditions.repository';
import { type Passage } from './passage';

/** About a page of text. Bounds the number of query words, and with it the time of a search. */
const MAX_QUERY_CHARS = 4_000;
/** Specified: `k` is 1 to 50, 6 by default. */
const MAX_PASSAGES = 50;
const DEFAULT_PASSAGES = 6;
/** Chosen: more than a person picks from a list. The ids of all of them fit into a body of a few kilobytes. */
export const MAX_CHOSEN_DOCUMENTS = 100;
const DOCUMENT_ID = /^doc_[0-9A-Za-z]{1,64}$/;

const TimeCondition = (description: string, example = '2026-01-31T00:00:00Z') =>
  InstantField({ description, example, optional: true });

/** The body of POST …/search. */
export class SearchDto implements DocumentConditions {
  @TextField({
    description:
      'The question or the words to search for. A search also knows `"a phrase"`, `-excluded` and `title:word`; a question does not.',
    example: 'Within how many days are refunds issued?',
    maxLength: MAX_QUERY_CHARS,
    trim: true,
  })
  query!: string;

  @IntegerField({
    description: 'Most passages that are used.',
    min: 1,
    max: MAX_PASSAGES,
    default: DEFAULT_PASSAGES,
    optional: true,
  })
  k: number = DEFAULT_PASSAGES;

  @TextListField(
    {
      description: 'Only these documents of the workspace are searched. Absent: all of them.',
      example: ['doc_0Vc3kZ8dQ1mXw7RtYb2LsA'],
      minItems: 1,
      maxItems: MAX_CHOSEN_DOCUMENTS,
      optional: true,
    },
    { pattern: DOCUMENT_ID.source },
    Matches(DOCUMENT_ID, { each: true, message: 'must be ids like doc_0Vc3kZ8dQ1mXw7RtYb2LsA' }),
  )
  document_ids?: string[];

  @TimeCondition('Only documents that were created at this time or later are searched.')
  created_from?: InstantMicros;

  @TimeCondition('Only documents that were created before this time are searched.', '2026-02-28T00:00:00Z')
  created_to?: InstantMicros;

  @TimeCondition('Only documents whose `updated_at` is this time or later are searched.')
  updated_from?: InstantMicros;

  @TimeCondition(
    'Only documents whose `updated_at` is before this time are searched.',
    '2026-02-28T00:00:00Z',
  )
  updated_to?: InstantMicros;

  @MetadataField({
    description:
      'Only documents whose metadata has all of these names with these values are searched. The metadata of the version that is searched counts.',
    example: { author: 'Ann' },
    optional: true,
  })
  metadata?: Metadata;
}

/** A passage in the response of a search. */
export class SearchResultResponse {
  @ApiProperty({ description: 'The id of the document.', example: 'doc_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  document_id!: string;

  @ApiProperty({
    description: 'The caller’s own id of the document; null if it has none.',
    example: 'policy-1',
    type: 'string',
    nullable: true,
  })
  external_id!: string | null;

  @ApiProperty({ description: 'The title of the document.', example: 'Refund policy' })
  title!: string;

  @ApiProperty({ description: 'The version of the document.', type: 'integer', example: 1 })
  version!: number;

  @ApiProperty({
    description: 'Index of the passage in the document, from 0.',
    type: 'integer',
    example: 0,
  })
  chunk_index!: number;

  @ApiProperty({
    description: 'Offset of the passage in the stored text of that version, in UTF-16 units.',
    type: 'integer',
    example: 0,
  })
  start!: number;

  @ApiProperty({
    description: 'Offset behind the passage, in UTF-16 units.',
    type: 'integer',
    example: 99,
  })
  end!: number;

  @ApiProperty({
    description: 'The page on which the passage begins, from 1; null in formats without pages.',
    type: 'integer',
    nullable: true,
    example: 3,
  })
  page!: number | null;

  @ApiProperty({
    description: 'Higher is better. Comparable only within one search.',
    type: 'number',
    example: 1.35,
  })
  score!: number;

  @ApiProperty({
    description: 'Exactly the slice of the stored text from `start` to `end`.',
    example:
      'Shipping is free for orders above thirty euros.\n\nRefunds are issued within five days of the return.',
  })
  text!: string;
}

export class SearchResponse {
  @ApiProperty({ description: 'The passages that were found, best first.', type: [SearchResultResponse] })
  results!: SearchResultResponse[];
}

export const resultOf = ({
  documentId,
  externalId,
  chunkIndex,
  ...passage
}: Passage): SearchResultResponse => ({
  document_id: documentId,
  external_id: externalId,
  title: passage.title,
  version: passage.version,
  chunk_index: chunkIndex,
  start: passage.start,
  end: passage.end,
  page: passage.page,
  score: passage.score,
  text: passage.text,
});
