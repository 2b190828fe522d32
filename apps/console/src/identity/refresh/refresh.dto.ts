import { InstantProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { SessionUserResponse } from '../sessions/session-user.response';

/** A session that goes on. */
export class RefreshedSessionResponse {
  @ApiProperty({
    description: 'The new session token (JWT), to be sent as `Authorization: Bearer …`.',
    example: 'eyJhbGciOiJFUzI1NiIs…',
  })
  token!: string;

  @InstantProperty({ description: 'When the token expires.' })
  expires_at!: string;

  @ApiProperty({ description: 'The account.' })
  user!: SessionUserResponse;
}
