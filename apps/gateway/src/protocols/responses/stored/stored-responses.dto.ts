import { TextField } from '@inference/dto';
import { ApiOpenObject } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';

export class ResponsePath {
  @TextField({ description: 'The response.', example: 'resp_0123456789abcdef' })
  response_id!: string;
}

export class DeletedResponse {
  @ApiProperty({ description: 'The response.', example: 'resp_0123456789abcdef' })
  id!: string;

  @ApiProperty({ enum: ['response'], description: 'Always `response`.' })
  object!: 'response';

  @ApiProperty({ enum: [true], description: 'Always true.' })
  deleted!: true;
}

@ApiOpenObject()
class ResponseItem {
  @ApiProperty({ description: 'Names the item.', example: 'msg_0123456789abcdef_0' })
  id!: string;

  @ApiProperty({
    description: '`message`, `reasoning`, `function_call`, `function_call_output` and others.',
    example: 'message',
  })
  type!: string;
}

export class ResponseItemListResponse {
  @ApiProperty({ enum: ['list'], description: 'Always `list`.' })
  object!: 'list';

  @ApiProperty({ description: 'The items.', type: [ResponseItem] })
  data!: ResponseItem[];

  @ApiProperty({ type: String, nullable: true, description: 'The first of them.', example: 'msg_1' })
  first_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The last of them, for `after`.',
    example: 'msg_1',
  })
  last_id!: string | null;

  @ApiProperty({ description: 'Whether there are more behind them.' })
  has_more!: boolean;
}
