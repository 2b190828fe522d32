import { ApiProperty } from '@nestjs/swagger';

/** Spec: Health. */
export class HealthResponse {
  @ApiProperty({ enum: ['ok'], description: 'Always `ok`.' })
  status!: 'ok';
}

export class UnhealthyResponse {
  @ApiProperty({ enum: ['database unavailable'], description: 'What is not available.' })
  error!: 'database unavailable';
}
