import { Module } from '@nestjs/common';
import { DownloadsModule } from '../downloads/downloads.module';
import { FollowedRepositoriesController } from './followed/followed-repositories.controller';
import { FollowedRepositoriesService } from './followed/followed-repositories.service';
import { ReleaseFollower } from './followed/release-follower';
import { AdminReleasesController } from './published/admin-releases.controller';
import { LatestReleasesController } from './published/latest-releases.controller';
import { ReleasesService } from './published/releases.service';

/** Releases of the runtime components: published by admins, or followed at a code host. */
@Module({
  imports: [DownloadsModule],
  controllers: [LatestReleasesController, AdminReleasesController, FollowedRepositoriesController],
  providers: [ReleasesService, FollowedRepositoriesService, ReleaseFollower],
})
export class ReleasesModule {}
