import { ApiProperty } from '@nestjs/swagger';

/** The account of a session. */
export class SessionUserResponse {
  @ApiProperty({ description: 'The id of the account.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The e-mail address of the account.', example: 'ann@example.com' })
  email!: string;
}

/** The public half of a signing key (RFC 7517). */
export class JwkResponse {
  @ApiProperty({ description: 'The type of the key.', enum: ['EC'], example: 'EC' })
  kty!: 'EC';

  @ApiProperty({ description: 'The curve.', enum: ['P-256'], example: 'P-256' })
  crv!: 'P-256';

  @ApiProperty({
    description: 'The x coordinate: 32 bytes in base64url.',
    example: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  })
  x!: string;

  @ApiProperty({
    description: 'The y coordinate: 32 bytes in base64url.',
    example: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  })
  y!: string;

  @ApiProperty({
    description: 'Names the key. The header `kid` of a token says with which it is signed.',
    example: '2026-11',
  })
  kid!: string;

  @ApiProperty({ description: 'The algorithm of the signatures.', enum: ['ES256'], example: 'ES256' })
  alg!: 'ES256';

  @ApiProperty({ description: 'The key is for signatures only.', enum: ['sig'], example: 'sig' })
  use!: 'sig';
}

export class JwksResponse {
  @ApiProperty({
    description: 'The key that signs, then keys of tokens that may be valid still.',
    type: [JwkResponse],
  })
  keys!: JwkResponse[];
}
