import { Controller, Get, Inject } from '@nestjs/common';
import { CURRENCY_BY_SITE, type Site } from '@inference/config';
import { Public } from '@inference/http';
import { Cached, type Cacheable } from '../caching/cached';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

/** Interface languages, the site's own first. */
const LANGUAGES: Record<Site, string[]> = { intl: ['en', 'zh-CN'], cn: ['zh-CN', 'en'] };

@Controller('api/site')
export class SiteController {
  constructor(@Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig) {}

  /** Public site metadata: `{name, region, currency, languages, urls, signup, oauth_providers}`. */
  @Get()
  @Public()
  @Cached()
  read(): Cacheable {
    const { config } = this;
    const body = {
      name: config.SITE_NAME,
      region: config.SITE,
      currency: CURRENCY_BY_SITE[config.SITE],
      languages: LANGUAGES[config.SITE],
      urls: {
        gateway: config.GATEWAY_URL,
        training: config.TRAINING_URL,
        router: config.ROUTER_URL,
        agent: config.AGENT_URL,
        memo: config.MEMO_URL,
      },
      signup: config.SIGNUP,
      oauth_providers: config.OAUTH_PROVIDERS.map(({ name }) => name),
    };
    return { body, changedAt: null };
  }
}
