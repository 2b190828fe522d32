import { IdField, InstantProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';

export class IdentityPath {
  @IdField({ description: 'The id of the identity.', noun: 'identity', prefix: 'idn' })
  id!: string;
}

/** An account of a provider that is linked to an account here. */
export class IdentityResponse {
  @ApiProperty({ description: 'Names the identity in this API.', example: 'idn_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({
    description: 'Name of the provider here; null if this site does not offer it any more.',
    type: String,
    nullable: true,
    example: 'google',
  })
  provider!: string | null;

  @ApiProperty({ description: 'The provider’s issuer identifier.', example: 'https://accounts.google.com' })
  issuer!: string;

  @ApiProperty({
    description: 'The address that the provider named when the identity was linked; null if it named none.',
    type: String,
    nullable: true,
    example: 'ann@example.com',
  })
  email!: string | null;

  @InstantProperty({ description: 'When the identity was linked.' })
  created_at!: string;
}

export class IdentityListResponse {
  @ApiProperty({ description: 'The account’s identities, oldest first.', type: [IdentityResponse] })
  identities!: IdentityResponse[];
}
