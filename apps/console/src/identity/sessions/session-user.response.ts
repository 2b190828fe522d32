import { ApiProperty } from '@nestjs/swagger';

/** The account of a session. */
export class SessionUserResponse {
  @ApiProperty({ description: 'The id of the account.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The e-mail address of the account.', example: 'ann@example.com' })
  email!: string;
}
