import { ApiProperty } from '@nestjs/swagger';

/** An API key by which usage came. Deleted keys keep their name. */
export class ApiKeyReference {
  @ApiProperty({ description: 'Names the key in this API.', example: 'key_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'What the key is for.', example: 'production' })
  name!: string;

  @ApiProperty({ description: 'The first characters of the secret.', example: 'bfvk-3kZ8dQ' })
  prefix!: string;
}
