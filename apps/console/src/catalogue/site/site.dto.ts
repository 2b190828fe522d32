import { type Currency, type Site } from '@inference/config';
import { CurrencyProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';

/** Addresses of the services, without a slash at the end. */
export class ServiceUrlsResponse {
  @ApiProperty({ description: 'The gateway.', example: 'https://gateway.example.com' })
  gateway!: string;

  @ApiProperty({ description: 'The training service.', example: 'https://training.example.com' })
  training!: string;

  @ApiProperty({ description: 'The router-cost service.', example: 'https://router.example.com' })
  router!: string;

  @ApiProperty({ description: 'The agent service.', example: 'https://agent.example.com' })
  agent!: string;

  @ApiProperty({ description: 'The memo service.', example: 'https://memo.example.com' })
  memo!: string;

  @ApiProperty({
    description: 'The agent environments; absent on a site that does not offer them.',
    example: 'https://environments.example.com',
    type: String,
    required: false,
  })
  environments?: string | undefined;
}

/** What the console offers beside its own resources. */
class SiteFeaturesResponse {
  @ApiProperty({ description: 'Whether `/api/playground` calls models.' })
  playground!: boolean;

  @ApiProperty({ description: 'Whether `/api/agents` runs agent sessions.' })
  agents!: boolean;
}

const LinkProperty = (description: string) =>
  ApiProperty({ description, type: String, nullable: true, example: 'https://www.example.com/page' });

/** The terms of use, which an account accepts. */
class SiteTermsResponse {
  @ApiProperty({ description: 'Where they can be read.', example: 'https://www.example.com/terms' })
  url!: string;

  @ApiProperty({
    description: 'Their version, for `accepted_terms` of `POST /api/auth/register` and `PATCH /api/auth/me`.',
    example: '2026-11-01',
  })
  version!: string;
}

/** Pages of the operator beside the console; null where there is none. */
class SiteLinksResponse {
  @LinkProperty('How personal data are handled.')
  privacy!: string | null;

  @LinkProperty('Who operates the site.')
  imprint!: string | null;

  @LinkProperty('Whether the services work.')
  status!: string | null;

  @LinkProperty('Help: a page, or an address of mail (`mailto:`).')
  support!: string | null;
}

export class SiteResponse {
  @ApiProperty({ description: 'The name that the operator gave the site.', example: 'Inference Platform' })
  name!: string;

  @ApiProperty({ description: 'The international site or the China site.', enum: ['intl', 'cn'] })
  region!: Site;

  @CurrencyProperty({ description: 'The currency of all amounts.' })
  currency!: Currency;

  @ApiProperty({
    description: 'The time zone in which usage and cost are best asked for (IANA).',
    example: 'UTC',
  })
  time_zone!: string;

  @ApiProperty({
    description: 'Languages of the user interface, the site’s own first (BCP 47).',
    type: [String],
    example: ['en', 'zh-CN'],
  })
  languages!: string[];

  @ApiProperty({ description: 'Where customers reach the other services.' })
  urls!: ServiceUrlsResponse;

  @ApiProperty({ description: 'What the console offers to an account that is signed in.' })
  features!: SiteFeaturesResponse;

  @ApiProperty({
    description: 'The terms of use; null if there are none to accept.',
    type: SiteTermsResponse,
    nullable: true,
  })
  terms!: SiteTermsResponse | null;

  @ApiProperty({ description: 'Pages of the operator.' })
  links!: SiteLinksResponse;

  @ApiProperty({
    description: 'The number of the ICP filing of a site in China; null if there is none.',
    type: String,
    nullable: true,
    example: null,
  })
  icp_number!: string | null;

  @ApiProperty({ description: 'Whether anybody may create an account.', enum: ['open', 'closed'] })
  signup!: 'open' | 'closed';

  @ApiProperty({
    description: 'Names of the identity providers for `GET /api/auth/oauth/{provider}`.',
    type: [String],
    example: ['company'],
  })
  oauth_providers!: string[];
}
