import { Controller, Delete, HttpCode, Param, Post, Put } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { ValidBody } from '@inference/http';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import { changelogEntryInput, type ChangelogEntryInput, type ChangelogEntryView } from './changelog.dto';
import { ChangelogService } from './changelog.service';

/** Takes `{title, body, component?, tag_name?, published_at?}` and answers with the entry. */
@Controller('api/admin/changelog')
@Roles('admin')
export class AdminChangelogController {
  constructor(private readonly changelog: ChangelogService) {}

  @Post()
  publish(
    @CurrentActor() admin: Actor,
    @ValidBody(changelogEntryInput) input: ChangelogEntryInput,
  ): Promise<ChangelogEntryView> {
    return this.changelog.publish(admin, input);
  }

  /** Replaces an entry completely, except that `published_at` is kept if the input has none. */
  @Put(':id')
  replace(
    @CurrentActor() admin: Actor,
    @Param('id') id: string,
    @ValidBody(changelogEntryInput) input: ChangelogEntryInput,
  ): Promise<ChangelogEntryView> {
    return this.changelog.replace(admin, id, input);
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@CurrentActor() admin: Actor, @Param('id') id: string): Promise<void> {
    return this.changelog.remove(admin, id);
  }
}
