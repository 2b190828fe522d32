import {
  BooleanField,
  ChoiceField,
  field,
  IntegerField,
  NameText,
  ObjectField,
  TextField,
} from '@inference/dto';
import { ApiOpenObject } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';
import { IsArray } from 'class-validator';

/** An object of a body, whose fields nothing has validated. */
export type Fields = Record<string, unknown>;

/** Fields that hold a picture or audio in a part whose `type` says that it is one: its content, or an object with it. */
export const IMAGE_SOURCES = ['image_url', 'image', 'source', 'url', 'data', 'file_id'] as const;
export const AUDIO_SOURCES = ['input_audio', 'audio_url', 'audio', 'source', 'url', 'data'] as const;
/** Fields of the object inside such a field that hold the content. */
export const CONTENT_FIELDS = ['url', 'data'] as const;

/** Names that are written out are read several times faster. */
export const holdsOtherThanImage = (part: Fields): boolean =>
  (part.input_audio ?? part.audio_url ?? part.audio ?? part.video_url ?? part.file ?? null) !== null;

/** Whether a part has a field of media. Some servers read it whatever the `type` says, vLLM if there is a `uuid`. */
export const holdsMedia = (part: Fields): boolean =>
  (part.image_url ?? part.image ?? null) !== null || holdsOtherThanImage(part);

/**
 * Requests of OpenAI's API. Bodies are passed on byte for byte: what admission and billing need has validators, everything else
 * is judged by the model's server and is described for the API document only.
 */

/** Most answers that one request may ask for (`n`, `best_of`); OpenAI's own limit. */
const MAX_CHOICES = 128;

const MAX_MODEL_CHARS = 200;
const WITHOUT_NUL = /^[^\0]*$/;

const OPTIONAL = { optional: true, nullable: true };
const TOKEN_LIMIT = { ...OPTIONAL, min: 1, max: Number.MAX_SAFE_INTEGER, example: 256 };
const ANSWERS = { ...OPTIONAL, min: 1, max: MAX_CHOICES, example: 1 };

const TEXTS_OR_TOKENS = {
  description: 'A text, several texts, or tokens.',
  oneOf: [
    { type: 'string' },
    {
      type: 'array',
      items: {
        oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'integer' } }],
      },
    },
  ],
};

@ApiOpenObject()
class ChatMessage {
  @ApiProperty({
    description: 'Who speaks: `system`, `developer`, `user`, `assistant` or `tool`.',
    example: 'user',
  })
  role!: string;

  @ApiProperty({
    description: 'A text, or parts as the model understands them.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object', additionalProperties: true } }],
    nullable: true,
    required: false,
    example: 'What is a ledger?',
  })
  content?: string | object[] | null;
}

@ApiOpenObject()
class StreamOptions {
  @BooleanField({ ...OPTIONAL, description: 'Send the usage in a last chunk.' })
  include_usage?: boolean | null;
}

export const ModelField = (example: string) =>
  TextField({
    description: 'Slug of a model of `GET /v1/models`.',
    maxLength: MAX_MODEL_CHARS,
    pattern: [WITHOUT_NUL, 'must not contain NUL characters'],
    example,
  });

/** What the endpoints for text have in common. */
@ApiOpenObject()
class TextRequest {
  @ModelField('sandbox-chat')
  model!: string;

  @IntegerField({
    ...TOKEN_LIMIT,
    description:
      'Most tokens of an answer. Without any limit the model decides, unless the money is short: then the gateway sets one and names it in `X-Output-Limit`.',
  })
  max_tokens?: number | null;

  @IntegerField({ ...TOKEN_LIMIT, description: 'OpenAI’s newer name of `max_tokens`.' })
  max_completion_tokens?: number | null;

  @IntegerField({ ...TOKEN_LIMIT, description: 'llama.cpp’s name of `max_tokens`.' })
  n_predict?: number | null;

  @IntegerField({ ...ANSWERS, description: 'Number of answers, 1 by default.' })
  n?: number | null;

  @BooleanField({ ...OPTIONAL, description: 'Answer as server-sent events.' })
  stream?: boolean | null;

  @ObjectField(() => StreamOptions, { ...OPTIONAL, description: 'Options of a stream.' })
  stream_options?: StreamOptions | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    required: false,
    description: 'Passed to the model.',
    example: 0.7,
  })
  temperature?: number | null;
}

@ApiOpenObject()
export class ChatCompletionRequest extends TextRequest {
  @field(
    { description: 'The conversation.' },
    { type: [ChatMessage] },
    IsArray({ message: 'must be a list' }),
  )
  messages!: ChatMessage[];
}

@ApiOpenObject()
export class CompletionRequest extends TextRequest {
  @ApiProperty({ ...TEXTS_OR_TOKENS, example: 'A ledger is' })
  prompt!: unknown;

  @IntegerField({
    ...ANSWERS,
    description:
      'Number of answers that are produced, of which the best `n` are sent. All of them are charged.',
  })
  best_of?: number | null;
}

@ApiOpenObject()
export class EmbeddingsRequest {
  @ModelField('sandbox-embed')
  model!: string;

  @ApiProperty({ ...TEXTS_OR_TOKENS, example: 'A ledger' })
  input!: unknown;
}

export class ProxyHeaders {
  @NameText()
  @TextField({
    optional: true,
    minLength: 0,
    pattern: [/^[a-z0-9._-]{1,64}$/, 'must be 1 to 64 of a-z 0-9 . _ -'],
    description: 'Names the origin of the request in the cost report; `gateway` by default.',
    example: 'nightly-batch',
  })
  'X-Entrypoint'?: string;

  @ChoiceField(['on', 'off'], {
    optional: true,
    description:
      '`off`: no other model answers if no server of this one does. Otherwise those may that the operator has named, at their own price.',
    example: 'off',
  })
  'X-Inference-Fallback'?: 'on' | 'off';
  @TextField({
    optional: true,
    minLength: 0,
    pattern: [/^[\x20-\x7e]{1,255}$/, 'must have 1 to 255 printable ASCII characters'],
    description:
      'Names a call that is no stream, so that it can be repeated for a day: the same key with the same body gets the answer of the first call. A call with a key runs on when its client leaves.',
    example: 'invoice-2026-11-29-1',
  })
  'Idempotency-Key'?: string;
}
