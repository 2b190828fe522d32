import { ApiProperty } from '@nestjs/swagger';

/** Spec: Health. */
export class HealthResponse {
  @ApiProperty({ enum: ['ok'], description: 'Always `ok`.' })
  status!: 'ok';
}

export class UnhealthyResponse {
  @ApiProperty({
    enum: ['database unavailable', 'shutting down'],
    description: 'Why the service cannot work.',
  })
  error!: 'database unavailable' | 'shutting down';
}
