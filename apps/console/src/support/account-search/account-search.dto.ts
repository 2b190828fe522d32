import { TextField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { AdminAccountResponse } from '../../accounts/accounts.dto';

const MAX_QUERY_LENGTH = 300;

export class AccountSearchDto {
  @TextField({
    description:
      'A part of an e-mail address, username, phone number or account id; the id of a call, also that of its client, of an API key or payment; the number of a receipt or invoice; the first characters of an API key; a whole API key, management key or key of a workspace, also an API key that a rotation has replaced within a year. A key that is sent here is neither stored nor logged.',
    example: 'req_0Vc3kZ8dQ1mXw7RtYb2LsA',
    maxLength: MAX_QUERY_LENGTH,
    trim: true,
  })
  query!: string;
}

export const MATCH_KINDS = ['account', 'api_key', 'document', 'payment', 'request', 'workspace_key'] as const;
export type MatchKind = (typeof MATCH_KINDS)[number];

/** What a search has found. */
export class AccountMatchResponse {
  @ApiProperty({ description: 'What the text names.', enum: MATCH_KINDS, example: 'request' })
  kind!: MatchKind;

  @ApiProperty({
    description: 'The id of what was found; of a receipt or invoice its number.',
    example: 'req_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  id!: string;

  @ApiProperty({ description: 'The account to which it belongs; of a key of a workspace, who has made it.' })
  account!: AdminAccountResponse;
}

export class AccountSearchResponse {
  @ApiProperty({ description: 'What was found; at most 20.', type: [AccountMatchResponse] })
  matches!: AccountMatchResponse[];
}
