import { Controller, Get, Header, Inject } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { Roles } from '@inference/guards';
import { type FollowedRepositoryView, listFollowed } from './followed-repositories';

@Controller('api/admin/releases/followed')
@Roles('admin')
export class FollowedRepositoriesController {
  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /** State of each followed repository: `{repositories}`. */
  @Get()
  @Header('Cache-Control', 'no-store')
  async list(): Promise<{ repositories: FollowedRepositoryView[] }> {
    return { repositories: await listFollowed(this.pool) };
  }
}
