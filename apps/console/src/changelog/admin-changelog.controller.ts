import { Controller, Delete, HttpCode, Param, Post, Put } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { ValidBody } from '@inference/http';
import { type Actor, CurrentActor } from '../events/actor';
import { changelogEntry, type ChangelogEntry, type ChangelogEntryView } from './changelog.dto';
import { ChangelogService } from './changelog.service';

/** `{title, body, component?, tag_name?, published_at?}` in, the entry out. */
@Controller('api/admin/changelog')
@Roles('admin')
export class AdminChangelogController {
  constructor(private readonly changelog: ChangelogService) {}

  @Post()
  publish(
    @CurrentActor() admin: Actor,
    @ValidBody(changelogEntry) entry: ChangelogEntry,
  ): Promise<ChangelogEntryView> {
    return this.changelog.publish(admin, entry);
  }

  /** Replaces it as a whole; only the time stays if none is given. */
  @Put(':id')
  replace(
    @CurrentActor() admin: Actor,
    @Param('id') id: string,
    @ValidBody(changelogEntry) entry: ChangelogEntry,
  ): Promise<ChangelogEntryView> {
    return this.changelog.replace(admin, id, entry);
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@CurrentActor() admin: Actor, @Param('id') id: string): Promise<void> {
    return this.changelog.remove(admin, id);
  }
}
