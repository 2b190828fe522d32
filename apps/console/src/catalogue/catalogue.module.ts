import { Module } from '@nestjs/common';
import { ChangelogModule } from './changelog/changelog.module';
import { DownloadsModule } from './downloads/downloads.module';
import { ModelsModule } from './models/models.module';
import { ReleasesModule } from './releases/releases.module';
import { SiteModule } from './site/site.module';
import { SitemapModule } from './sitemap/sitemap.module';
import { StorageModule } from './storage/storage.module';

/** What the site offers to the public: models, releases, news and metadata. */
@Module({
  imports: [
    SiteModule,
    ChangelogModule,
    ReleasesModule,
    SitemapModule,
    ModelsModule,
    DownloadsModule,
    StorageModule,
  ],
})
export class CatalogueModule {}
