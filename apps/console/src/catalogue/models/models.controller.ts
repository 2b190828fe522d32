import { Controller, Get, Req, Res } from '@nestjs/common';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { type PageQuery, pageQuery, Public, ValidQuery } from '@inference/http';
import { type Request, type Response } from 'express';
import { Cached } from '../../caching/cached.decorator';
import { downloadQuery, type DownloadQuery, Slug } from './models.dto';
import { ModelsService } from './models.service';

@Controller('api/models')
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  /** Published models: `{models: [ModelView], next_cursor}`. */
  @Get()
  @Public()
  @Cached()
  list(@ValidQuery(pageQuery) query: PageQuery) {
    return this.models.list(query);
  }

  /**
   * Answers 302 to an expiring link (spec: Model package). Accepts an API key in the header or a session in `?token=`.
   * `?version=` lets a client resume a download after another version was published.
   */
  @Get('*slug/download')
  @Accepts('api_key', 'session_query')
  async download(
    @CurrentCaller() caller: Caller,
    @Slug() slug: string,
    @ValidQuery(downloadQuery) { version }: DownloadQuery,
    @Req() { method }: Request,
    @Res() response: Response,
  ): Promise<void> {
    response.set('Cache-Control', 'no-store');
    response.status(302).location(await this.models.link(caller, slug, version ?? null, method === 'HEAD'));
    response.end();
  }

  /** One published model, with or without slashes in its slug. */
  @Get('*slug')
  @Public()
  @Cached()
  find(@Slug() slug: string) {
    return this.models.find(slug);
  }
}
