import { AtLeast, AtMost, BooleanField, field, IntegerField } from '@inference/dto';
import { ApiOpenObject } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsString } from 'class-validator';
import { CompletionUsage } from '../proxy/completion.response';
import { ModelField } from '../proxy/request/proxy-request.dto';

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

/** What the gateway reads of the bodies; everything else is passed on and judged by the model's server. */

const OPTIONAL = { optional: true, nullable: true };
/** Most images of a request. Chosen: OpenAI's limit is 10. */
const MOST_IMAGES = 32;

/** Chosen: what Cohere allows. */
const MOST_DOCUMENTS = 10_000;

/** Chosen: the speech of a day. All of them are looked at to count them. */
const MOST_SPOKEN = 1_000_000;

const Text = (description: string, example: string, most?: number) =>
  field(
    { description, example },
    { type: 'string', minLength: 1, ...(most !== undefined && { maxLength: most }) },
    IsString({ message: 'must be a text' }),
    AtLeast(1, 'must not be empty'),
    ...(most === undefined ? [] : [AtMost(most, `must have at most ${most} characters`)]),
  );

const OptionalText = (description: string, example: string) =>
  field({ ...OPTIONAL, description, example }, { type: 'string' }, IsString({ message: 'must be a text' }));

@ApiOpenObject()
export class RerankRequest {
  @ModelField('sandbox-rerank')
  model!: string;

  @Text('What is looked for.', 'What is a ledger?')
  query!: string;

  @field(
    { description: 'What is put in order: texts, or objects with a `text`.' },
    {
      type: 'array',
      maxItems: MOST_DOCUMENTS,
      items: { oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }] },
    },
    IsArray({ message: 'must be a list' }),
    ArrayMaxSize(MOST_DOCUMENTS, { message: `must have at most ${MOST_DOCUMENTS} entries` }),
  )
  documents!: unknown[];
}

@ApiOpenObject()
export class ImageRequest {
  @ModelField('sandbox-image')
  model!: string;

  @Text('What the images show.', 'A lighthouse at night')
  prompt!: string;

  @IntegerField({
    ...OPTIONAL,
    min: 1,
    max: MOST_IMAGES,
    description: 'Number of images, 1 by default.',
    example: 1,
  })
  n?: number | null;

  @BooleanField({ ...OPTIONAL, description: 'Answer as server-sent events; for one image.' })
  stream?: boolean | null;
}

@ApiOpenObject()
export class SpeechRequest {
  @ModelField('sandbox-speech')
  model!: string;

  @Text('What is spoken. Its characters are charged.', 'Hello', MOST_SPOKEN)
  input!: string;

  @OptionalText('`sse`: answer as server-sent events instead of audio.', 'audio')
  stream_format?: string | null;

  @ApiProperty({
    type: 'string',
    required: false,
    description: 'Passed to the model, as `response_format`, `speed` and others are.',
    example: 'alloy',
  })
  voice?: string;
}

@ApiOpenObject()
export class ModerationRequest {
  @ModelField('sandbox-moderation')
  model!: string;

  @field(
    { description: 'A text, several texts, or parts with texts and pictures.', example: 'Hello' },
    {
      oneOf: [
        { type: 'string' },
        {
          type: 'array',
          items: { oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }] },
        },
      ],
    },
  )
  input!: unknown;
}

const FormText = (description: string, example: string) =>
  ApiProperty({ type: 'string', required: false, description, example });

/** Of a form, which is read by `Form` and not by validators. */
@ApiOpenObject()
export class TranslationForm {
  @ApiProperty({ type: 'string', format: 'binary', description: 'The audio.' })
  file!: unknown;

  @ApiProperty({
    type: 'string',
    description: 'Slug of a model of `GET /v1/models`.',
    example: 'sandbox-audio',
  })
  model!: string;

  @FormText('What the audio may be about; passed to the model.', 'ledger, invoice')
  prompt?: string;

  @FormText('`json`, `text`, `srt`, `verbose_json` or `vtt`; passed to the model.', 'json')
  response_format?: string;
}

@ApiOpenObject()
export class TranscriptionForm extends TranslationForm {
  @FormText('`true`: answer as server-sent events.', 'false')
  stream?: string;
}
