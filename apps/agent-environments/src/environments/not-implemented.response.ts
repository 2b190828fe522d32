import { ApiProperty } from '@nestjs/swagger';

export class NotImplementedDetails {
  @ApiProperty({
    description: 'What is wrong, for people.',
    example: 'agent environments are not implemented',
  })
  message!: string;

  @ApiProperty({ description: 'The kind of the error.', enum: ['not_implemented'] })
  type!: 'not_implemented';

  @ApiProperty({ description: 'What is not implemented.', enum: ['agents.environments'] })
  resource!: 'agents.environments';
}

/** Spec: Errors, rule 4. */
export class NotImplementedResponse {
  @ApiProperty({ description: 'The error.' })
  error!: NotImplementedDetails;
}
