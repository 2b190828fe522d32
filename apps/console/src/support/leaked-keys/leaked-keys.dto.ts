import { ApiProperty } from '@nestjs/swagger';

export const VERDICTS = ['true_positive', 'false_positive'] as const;

export class LeakedKeyVerdict {
  @ApiProperty({ description: 'SHA-256 of the secret, in Base64.' })
  token_hash!: string;

  @ApiProperty({ description: 'As reported.' })
  token_type!: string;

  @ApiProperty({
    enum: VERDICTS,
    description: '`true_positive`: it was a key of this site, and no longer works.',
  })
  label!: (typeof VERDICTS)[number];
}
