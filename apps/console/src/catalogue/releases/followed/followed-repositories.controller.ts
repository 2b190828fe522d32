import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database } from '@inference/database';
import { Roles } from '@inference/guards';
import { listFollowed } from './followed-repositories';
import { FollowedRepositoryListResponse } from './followed-repositories.dto';

@Controller('api/admin/releases/followed')
@ApiTags('Administration of releases')
@Roles('admin')
export class FollowedRepositoriesController {
  constructor(private readonly database: Database) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listFollowedRepositories',
    summary: 'Returns the state of the followed repositories.',
  })
  @ApiOkResponse({ description: 'All followed repositories.', type: FollowedRepositoryListResponse })
  async list(): Promise<FollowedRepositoryListResponse> {
    return { repositories: await listFollowed(this.database) };
  }
}
