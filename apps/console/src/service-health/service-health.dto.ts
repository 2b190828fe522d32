import { InstantProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { SERVICE_NAMES, type ServiceName } from './service-health.config';

export const HEALTH_STATUSES = ['ok', 'unhealthy', 'unavailable'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

export class ServiceHealthResponse {
  @ApiProperty({ description: 'The service.', enum: SERVICE_NAMES, example: 'gateway' })
  name!: ServiceName;

  @ApiProperty({ description: 'Where customers reach it.', example: 'https://api.example.com' })
  url!: string;

  @ApiProperty({
    description:
      '`ok`: it can work. `unhealthy`: it answers, but says that it cannot work. `unavailable`: the console gets no answer in time.',
    enum: HEALTH_STATUSES,
    example: 'ok',
  })
  status!: HealthStatus;

  @ApiProperty({
    description: 'Milliseconds until it answered; null if it did not.',
    type: 'integer',
    nullable: true,
    example: 4,
  })
  latency_ms!: number | null;

  @ApiProperty({
    description:
      'What is wrong, such as `database unavailable` or `no answer within 3 seconds`; null if nothing is.',
    type: String,
    nullable: true,
    example: null,
  })
  message!: string | null;

  @InstantProperty({
    description:
      'Since when the process that answered runs; null if none answered or it does not say. A service with several replicas answers with one of them.',
    nullable: true,
  })
  started_at!: string | null;
}

export class SiteHealthResponse {
  @ApiProperty({ description: 'The services of the site.', type: [ServiceHealthResponse] })
  services!: ServiceHealthResponse[];

  @InstantProperty({ description: 'When the services were asked.' })
  checked_at!: string;
}
