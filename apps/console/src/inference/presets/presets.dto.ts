import { IdField, InstantProperty, JsonObjectField, LineField, NextCursorProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';

const SETTINGS_EXAMPLE = { models: ['sandbox-chat'], system: 'Answer briefly.', temperature: '0.2' };

export class PresetDto {
  @LineField({
    description: 'The name. An account has one preset of a name.',
    example: 'Short answers',
    maxLength: 100,
  })
  name!: string;

  @JsonObjectField({
    description:
      'Models, system prompt, parameters and tools as the pages keep them: at most 65,536 bytes of JSON. The service does not read them.',
    example: SETTINGS_EXAMPLE,
  })
  settings!: Record<string, unknown>;
}

export class PresetPath {
  @IdField({ description: 'The id of the preset.', noun: 'preset', prefix: 'preset' })
  id!: string;
}

export class PresetResponse {
  @ApiProperty({ description: 'Names the preset in this API.', example: 'preset_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The name.', example: 'Short answers' })
  name!: string;

  @ApiProperty({
    description: 'The object that was stored.',
    type: 'object',
    additionalProperties: true,
    example: SETTINGS_EXAMPLE,
  })
  settings!: Record<string, unknown>;

  @InstantProperty({ description: 'When the preset was made.' })
  created_at!: string;

  @InstantProperty({ description: 'When it was changed last.' })
  updated_at!: string;
}

export class PresetListResponse {
  @ApiProperty({ description: 'The account’s presets, newest first.', type: [PresetResponse] })
  presets!: PresetResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
