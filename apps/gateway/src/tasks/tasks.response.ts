import { ApiOpenObject } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';
import { CompletionUsage } from '../proxy/completion.response';

/** Answers of models with one task, for the API document. The models' servers write them. */

const Objects = (description: string) =>
  ApiProperty({ description, type: 'array', items: { type: 'object', additionalProperties: true } });

const Usage = () =>
  ApiProperty({
    description: 'What was metered, if the server reports it.',
    type: () => CompletionUsage,
    nullable: true,
    required: false,
  });

@ApiOpenObject()
export class RerankResponse {
  @ApiProperty({
    description: 'Places of the documents, the best first, with their `relevance_score`.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    required: false,
  })
  results?: object[];

  @Usage()
  usage?: CompletionUsage | null;
}

@ApiOpenObject()
export class ImageResponse {
  @Objects('The images, as `b64_json` or `url`.')
  data!: object[];

  @Usage()
  usage?: CompletionUsage | null;
}

@ApiOpenObject()
export class ModerationResponse {
  @Objects('One verdict for each input.')
  results!: object[];
}

@ApiOpenObject()
export class TranscriptResponse {
  @ApiProperty({ description: 'What is said.', example: 'Hello' })
  text!: string;

  @Usage()
  usage?: CompletionUsage | null;
}

/** An event of a stream. */
@ApiOpenObject()
export class AnyEvent {
  @ApiProperty({ type: 'string', required: false, description: 'The kind of event.' })
  type?: string;
}
