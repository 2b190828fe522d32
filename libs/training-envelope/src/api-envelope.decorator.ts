import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, getSchemaPath } from '@nestjs/swagger';

/** The body of every error of the training service. The meanings of the codes are in envelope-codes.ts. */
export class EnvelopeErrorResponse {
  @ApiProperty({
    description:
      'HTTP status × 100, plus a number that distinguishes errors of the same status. The meaning of a code never changes; new codes may be added.',
    type: 'integer',
    minimum: 40_000,
    maximum: 59_999,
    example: 40_000,
  })
  code!: number;

  @ApiProperty({
    description: 'Empty.',
    type: 'object',
    additionalProperties: false,
    properties: {},
    example: {},
  })
  data!: object;

  @ApiProperty({
    description: 'What is wrong, for people. It varies and must not be used for logic.',
    example: 'total: is missing',
  })
  message!: string;
}

export interface EnvelopeOptions {
  description: string;
  /** 200 by default. */
  status?: number;
}

/** Documents a success whose `data` is of the class. */
export const ApiEnvelope = (type: Type, { description, status = 200 }: EnvelopeOptions) =>
  applyDecorators(
    ApiExtraModels(type),
    ApiResponse({
      status,
      description,
      schema: {
        type: 'object',
        properties: {
          code: { type: 'integer', enum: [0], description: 'Always 0 on success.' },
          data: { $ref: getSchemaPath(type) },
          message: { type: 'string', enum: [''], description: 'Empty on success.' },
        },
        required: ['code', 'data', 'message'],
      },
    }),
  );
