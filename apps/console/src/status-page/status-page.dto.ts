import { InstantProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { CurrentAnnouncementResponse } from '../notifications/announcements/announcements.dto';
import { SERVICE_NAMES, type ServiceName } from '../service-health/service-health.config';

const SERVICE_STATES = ['operational', 'outage'] as const;
const MODEL_STATES = ['operational', 'degraded', 'outage', 'unknown'] as const;
const SITE_STATES = ['operational', 'degraded', 'outage'] as const;

class ServiceStatusResponse {
  @ApiProperty({ description: 'The service.', enum: SERVICE_NAMES, example: 'gateway' })
  name!: ServiceName;

  @ApiProperty({ description: 'Whether it works.', enum: SERVICE_STATES, example: 'operational' })
  status!: (typeof SERVICE_STATES)[number];
}

class ModelStatusResponse {
  @ApiProperty({ description: 'The slug of the model.', example: 'sandbox-chat' })
  slug!: string;

  @ApiProperty({
    description:
      '`operational`: all its servers take calls. `degraded`: some do not, or another model answers for it. `outage`: it cannot be called. `unknown`: no gateway reports.',
    enum: MODEL_STATES,
    example: 'operational',
  })
  status!: (typeof MODEL_STATES)[number];
}

export class SiteStatusResponse {
  @ApiProperty({
    description:
      '`outage`: the gateway or every model is away. `degraded`: a service or a model is not operational, or a critical incident is announced.',
    enum: SITE_STATES,
    example: 'operational',
  })
  status!: (typeof SITE_STATES)[number];

  @ApiProperty({ description: 'The services of the site.', type: [ServiceStatusResponse] })
  services!: ServiceStatusResponse[];

  @ApiProperty({ description: 'The models of the price list, by their slugs.', type: [ModelStatusResponse] })
  models!: ModelStatusResponse[];

  @ApiProperty({
    description:
      'Warnings and critical announcements to everybody that were shown within the last 90 days, newest first; at most 100.',
    type: [CurrentAnnouncementResponse],
  })
  incidents!: CurrentAnnouncementResponse[];

  @InstantProperty({ description: 'When the services were asked.' })
  checked_at!: string;
}
