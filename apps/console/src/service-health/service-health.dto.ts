import { InstantProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { UpstreamStateResponse } from '../inference/serving/serving.dto';
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

export const QUEUES = ['usage', 'job', 'mail', 'payment', 'refund', 'provider_event', 'invoice'] as const;

export class QueueResponse {
  @ApiProperty({
    description:
      'What waits: `usage` to be settled in wallets and reports, `job` of the console that could run, `mail` to be sent, `payment` and `refund` that a provider has not confirmed, `provider_event` for a person, `invoice` for its tax file.',
    enum: QUEUES,
    example: 'mail',
  })
  name!: (typeof QUEUES)[number];

  @ApiProperty({ description: 'How many; not above 10000.', type: 'integer', example: 3 })
  waiting!: number;

  @ApiProperty({
    description: 'How long the oldest one has waited, in seconds; 0 without one.',
    type: 'integer',
    example: 12,
  })
  oldest_seconds!: number;
}

export class SiteHealthResponse {
  @ApiProperty({ description: 'The services of the site.', type: [ServiceHealthResponse] })
  services!: ServiceHealthResponse[];

  @ApiProperty({
    description: 'The upstreams, as the gateways see them; null if the database does not answer.',
    type: [UpstreamStateResponse],
    nullable: true,
  })
  upstreams!: UpstreamStateResponse[] | null;

  @ApiProperty({
    description: 'What waits; null if the database does not answer.',
    type: [QueueResponse],
    nullable: true,
  })
  queues!: QueueResponse[] | null;

  @InstantProperty({ description: 'When the services were asked.' })
  checked_at!: string;
}
