import { ApiProperty } from '@nestjs/swagger';

/** Answer to a request that concerns mail. It does not show whether there is an account. */
export class AcceptedResponse {
  @ApiProperty({ description: 'Always `accepted`.', enum: ['accepted'], example: 'accepted' })
  status!: 'accepted';
}
