import { IdField, InstantProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';

export class SessionPath {
  @IdField({ description: 'The id of the session.', noun: 'session', prefix: 'sess' })
  id!: string;
}

/** A place where the account is signed in. */
export class ListedSessionResponse {
  @ApiProperty({ description: 'Names the session.', example: 'sess_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({
    description: 'The program that used it last, as it calls itself: a browser and its system, or `unknown`.',
    example: 'Chrome on Windows',
  })
  device!: string;

  @ApiProperty({
    description: 'The IP address from which it was used last; null if it is unknown.',
    type: String,
    nullable: true,
    example: '203.0.113.7',
  })
  ip_address!: string | null;

  @InstantProperty({ description: 'When it was opened.' })
  created_at!: string;

  @InstantProperty({ description: 'When it was opened or last refreshed.' })
  last_used_at!: string;

  @ApiProperty({ description: 'Whether it is the session of this request.', example: true })
  current!: boolean;
}

export class SessionListResponse {
  @ApiProperty({
    description: 'The live sessions of the account, newest use first; at most 100.',
    type: [ListedSessionResponse],
  })
  sessions!: ListedSessionResponse[];
}
