import { Module } from '@nestjs/common';
import { AdminDownloadsController } from './admin-downloads.controller';
import { DownloadsService } from './downloads.service';
import { ReleaseLookupCounter } from './release-lookup-counter';

/** Counts downloads of model packages and lookups of releases, and reports them to admins. */
@Module({
  controllers: [AdminDownloadsController],
  providers: [DownloadsService, ReleaseLookupCounter],
  exports: [ReleaseLookupCounter],
})
export class DownloadsModule {}
