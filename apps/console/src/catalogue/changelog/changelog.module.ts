import { Module } from '@nestjs/common';
import { AdminChangelogController, ChangelogController } from './changelog.controller';
import { ChangelogService } from './changelog.service';

/** The public changelog, its Atom feed and the administration of its entries. */
@Module({
  controllers: [ChangelogController, AdminChangelogController],
  providers: [ChangelogService],
})
export class ChangelogModule {}
