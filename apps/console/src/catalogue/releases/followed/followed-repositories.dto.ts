import { InstantProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { type Component, COMPONENTS } from '../../component';

/** State of a followed repository. */
export class FollowedRepositoryResponse {
  @ApiProperty({ description: 'The component.', enum: COMPONENTS })
  component!: Component;

  @ApiProperty({ description: 'Owner and name at the code host.', example: 'acme/engine' })
  repository!: string;

  @InstantProperty({
    description: 'The last reading, successful or not; null before the first.',
    nullable: true,
  })
  checked_at!: Date | null;

  @InstantProperty({ description: 'The last successful reading; null before the first.', nullable: true })
  succeeded_at!: Date | null;

  @InstantProperty({ description: 'When it is due to be read again.' })
  next_check_at!: Date;

  @ApiProperty({ description: 'Failures since the last success.', type: 'integer', example: 0 })
  failures!: number;

  @ApiProperty({
    description: 'Why the last reading failed; null if it succeeded.',
    type: String,
    nullable: true,
  })
  last_error!: string | null;

  @ApiProperty({
    description: 'Tag of the followed release; null if there is none.',
    type: String,
    example: 'v1.2.3',
    nullable: true,
  })
  tag_name!: string | null;
}

export class FollowedRepositoryListResponse {
  @ApiProperty({
    description: 'The followed repositories, by component.',
    type: [FollowedRepositoryResponse],
  })
  repositories!: FollowedRepositoryResponse[];
}
