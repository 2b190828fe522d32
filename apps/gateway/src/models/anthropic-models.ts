import { applyDecorators, BadRequestException } from '@nestjs/common';
import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import { type ModelResponse } from './models.dto';

/** Most models of a page, and how many a page has without a limit: all, since there is no reason to ask again. */
const MOST = 1_000;

/** Which models of Anthropic's list a request wants. */
interface AnthropicPage {
  limit: number;
  after: unknown;
  before: unknown;
}

/** Throws 400 for a limit that is none. Other parameters are ignored, as in the list of OpenAI. */
export function readAnthropicPage(query: Record<string, unknown>): AnthropicPage {
  const { limit = MOST, after_id: after, before_id: before } = query;
  const count = Number(limit);
  if (!Number.isSafeInteger(count) || count < 1 || count > MOST)
    throw new BadRequestException(`limit: must be an integer from 1 to ${MOST}`);
  return { limit: count, after, before };
}

/** Documents the parameters of `readAnthropicPage`. */
export const ApiAnthropicPage = () =>
  applyDecorators(
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: MOST },
      description: 'Most models; in Anthropic’s shape only.',
    }),
    ...(['after_id', 'before_id'] as const).map((name) =>
      ApiQuery({
        name,
        required: false,
        schema: { type: 'string' },
        description: `The models ${name === 'after_id' ? 'behind' : 'before'} this one; in Anthropic’s shape only.`,
      }),
    ),
  );

export class AnthropicModelResponse {
  @ApiProperty({ enum: ['model'], description: 'Always `model`.' })
  type!: 'model';

  @ApiProperty({ description: 'The slug, which requests name as `model`.', example: 'sandbox-chat' })
  id!: string;

  @ApiProperty({ description: 'The slug.', example: 'sandbox-chat' })
  display_name!: string;

  @ApiProperty({
    description: 'When the price list with this model came into force.',
    format: 'date-time',
    example: '2026-09-21T14:13:20Z',
  })
  created_at!: string;
}

export class AnthropicModelListResponse {
  @ApiProperty({ type: [AnthropicModelResponse], description: 'The models of this page.' })
  data!: AnthropicModelResponse[];

  @ApiProperty({ description: 'Whether there are more in this direction.', example: false })
  has_more!: boolean;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The first one of the page.',
    example: 'sandbox-chat',
  })
  first_id!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The last one of the page.',
    example: 'sandbox-chat',
  })
  last_id!: string | null;
}

export const anthropicModel = ({ id, created }: ModelResponse): AnthropicModelResponse => ({
  type: 'model',
  id,
  display_name: id,
  created_at: new Date(created * 1000).toISOString().replace('.000Z', 'Z'),
});

/** A page of Anthropic's list. A position that no model has is the beginning, or the end. */
export function anthropicPage(
  models: readonly ModelResponse[],
  { limit, after, before }: AnthropicPage,
): AnthropicModelListResponse {
  const ids = models.map(({ id }) => id);
  const end = typeof before !== 'string' || !ids.includes(before) ? ids.length : ids.indexOf(before);
  const start = typeof after === 'string' ? ids.indexOf(after) + 1 : 0;
  const inRange = models.slice(start, end);
  const page = before === undefined ? inRange.slice(0, limit) : inRange.slice(-limit);
  const data = page.map(anthropicModel);
  return {
    data,
    has_more: page.length < inRange.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
