import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module';
import { AdminChangelogController, ChangelogController } from './changelog/changelog.controller';
import { ChangelogService } from './changelog/changelog.service';
import { AdminDownloadsController } from './downloads/admin-downloads.controller';
import { DownloadsService } from './downloads/downloads.service';
import { ReleaseLookupCounter } from './downloads/release-lookup-counter';
import { AdminModelsController } from './models/admin-models.controller';
import { AdminModelsService } from './models/admin-models.service';
import { PackageCleanupJob } from './models/model-packages/package-cleanup.job';
import { PackagesService } from './models/model-packages/packages.service';
import { ModelsController } from './models/models.controller';
import { ModelsService } from './models/models.service';
import { PackageUploadsController } from './models/uploads/resumable/package-uploads.controller';
import { PackageUploadsService } from './models/uploads/resumable/package-uploads.service';
import { UploadCompletionJob } from './models/uploads/resumable/upload-completion.job';
import { UploadCompletionService } from './models/uploads/upload-completion.service';
import { UploadService } from './models/uploads/upload.service';
import { FollowedRepositoriesController } from './releases/followed/followed-repositories.controller';
import { FollowedRepositoriesService } from './releases/followed/followed-repositories.service';
import { ReleaseFollower } from './releases/followed/release-follower';
import { AdminReleasesController } from './releases/published/admin-releases.controller';
import { LatestReleasesController } from './releases/published/latest-releases.controller';
import { ReleasesService } from './releases/published/releases.service';
import { SiteController } from './site/site.controller';
import { SiteService } from './site/site.service';
import { SitemapController } from './sitemap/sitemap.controller';
import { SitemapService } from './sitemap/sitemap.service';
import { FilesController } from './storage/files.controller';
import { FilesService } from './storage/files.service';
import { OBJECT_STORAGE, OBJECT_STORAGE_PROVIDER } from './storage/object-storage.provider';

/** The public changelog, its Atom feed and the administration of its entries. */
@Module({
  controllers: [ChangelogController, AdminChangelogController],
  providers: [ChangelogService],
  exports: [ChangelogService],
})
class ChangelogModule {}

/** Counts downloads of model packages and lookups of releases, and reports them to admins. */
@Module({
  controllers: [AdminDownloadsController],
  providers: [DownloadsService, ReleaseLookupCounter],
  exports: [ReleaseLookupCounter],
})
class DownloadsModule {}

/** Stores model packages in a folder or in S3, and serves the files of the folder. */
@Module({
  controllers: [FilesController],
  providers: [OBJECT_STORAGE_PROVIDER, FilesService],
  exports: [OBJECT_STORAGE],
})
class StorageModule {}

/** Models that customers download: their descriptions, packages and uploads. */
@Module({
  imports: [StorageModule],
  controllers: [ModelsController, AdminModelsController, PackageUploadsController],
  providers: [
    ModelsService,
    AdminModelsService,
    PackagesService,
    PackageCleanupJob,
    PackageUploadsService,
    UploadCompletionJob,
    UploadCompletionService,
    UploadService,
  ],
  exports: [ModelsService],
})
class ModelsModule {}

/** Releases of the runtime components: published by admins, or followed at a code host. */
@Module({
  imports: [DownloadsModule],
  controllers: [LatestReleasesController, AdminReleasesController, FollowedRepositoriesController],
  providers: [ReleasesService, FollowedRepositoriesService, ReleaseFollower],
})
class ReleasesModule {}

/** Public metadata of the site. */
@Module({ controllers: [SiteController], providers: [SiteService], exports: [SiteService] })
class SiteModule {}

/** The sitemap for search engines. */
@Module({ imports: [BillingModule], controllers: [SitemapController], providers: [SitemapService] })
class SitemapModule {}

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
  exports: [SiteModule, ChangelogModule, ModelsModule],
})
export class CatalogueModule {}
