import { Controller, Get } from '@nestjs/common';
import { Public, ValidQuery } from '@inference/http';
import { Cached } from '../../caching/cached.decorator';
import { changelogQuery, type ChangelogQuery } from './changelog.dto';
import { ChangelogService } from './changelog.service';

@Controller('api')
export class ChangelogController {
  constructor(private readonly changelog: ChangelogService) {}

  /** Entries of all components or of `component`, newest first: `{entries, next_cursor}`. */
  @Get('changelog')
  @Public()
  @Cached()
  list(@ValidQuery(changelogQuery) query: ChangelogQuery) {
    return this.changelog.list(query);
  }

  /** The newest 50 entries as an Atom feed (RFC 4287). */
  @Get('changelog.atom')
  @Public()
  @Cached('application/atom+xml; charset=utf-8')
  feed() {
    return this.changelog.feed();
  }
}
