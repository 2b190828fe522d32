import { type Site, TIME_ZONE_BY_SITE } from '@inference/config';
import { Inject, Injectable } from '@nestjs/common';
import { type CacheableResponse } from '../../caching/cached.decorator';
import { LEGAL_CONFIG, type LegalConfig } from '../../legal.config';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { SITE_METADATA_CONFIG, type SiteMetadataConfig } from '../catalogue.config';
import { type SiteResponse } from './site.dto';

/** Interface languages, the site's own first. */
const LANGUAGES: Record<Site, string[]> = { intl: ['en', 'zh-CN'], cn: ['zh-CN', 'en'] };

/** What the site is, for everybody. */
@Injectable()
export class SiteService {
  constructor(
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(LEGAL_CONFIG) private readonly legal: LegalConfig,
    @Inject(SITE_METADATA_CONFIG) private readonly metadata: SiteMetadataConfig,
  ) {}

  read(): CacheableResponse<SiteResponse> {
    const { site, legal, metadata } = this;
    const body = {
      name: site.name,
      region: site.site,
      currency: site.currency,
      time_zone: TIME_ZONE_BY_SITE[site.site],
      languages: LANGUAGES[site.site],
      urls: metadata.serviceUrls,
      features: metadata.features,
      terms: legal.terms ?? null,
      links: {
        privacy: legal.privacyUrl ?? null,
        imprint: legal.imprintUrl ?? null,
        status: legal.statusUrl ?? (legal.hasStatusPage ? `${site.consoleUiUrl}/status` : null),
        support: legal.supportUrl ?? null,
      },
      icp_number: legal.icpNumber ?? null,
      signup: metadata.signup,
      oauth_providers: metadata.oauthProviderNames,
    };
    return { body, changedAt: null };
  }
}
