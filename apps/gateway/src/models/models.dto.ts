import { TextField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';

/** A wildcard route splits a slug at its slashes. */
const joined = ({ value }: { value: unknown }): unknown => (Array.isArray(value) ? value.join('/') : value);

export class ModelPath {
  @Transform(joined)
  @TextField({
    description: 'The model. It may contain slashes, as they are or as `%2F`.',
    example: 'sandbox-chat',
  })
  slug!: string;
}

export class ModelResponse {
  @ApiProperty({ description: 'The slug, which requests name as `model`.', example: 'sandbox-chat' })
  id!: string;

  @ApiProperty({ enum: ['model'], description: 'Always `model`.' })
  object!: 'model';

  @ApiProperty({
    type: 'integer',
    description: 'When the price list with this model came into force, in Unix seconds.',
    example: 1_790_000_000,
  })
  created!: number;

  @ApiProperty({ description: 'Who offers the model.', example: 'inference-platform' })
  owned_by!: string;
}

export class ModelListResponse {
  @ApiProperty({ enum: ['list'], description: 'Always `list`.' })
  object!: 'list';

  @ApiProperty({ description: 'All models that the caller may use.', type: [ModelResponse] })
  data!: ModelResponse[];
}
