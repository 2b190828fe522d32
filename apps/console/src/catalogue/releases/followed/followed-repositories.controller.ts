import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { StaffOnly } from '@inference/guards';
import { FollowedRepositoryListResponse } from './followed-repositories.dto';
import { FollowedRepositoriesService } from './followed-repositories.service';

@Controller('api/admin/releases/followed')
@ApiTags('Administration of releases')
@StaffOnly()
export class FollowedRepositoriesController {
  constructor(private readonly followed: FollowedRepositoriesService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listFollowedRepositories',
    summary: 'Returns the state of the followed repositories.',
  })
  @ApiOkResponse({ description: 'All followed repositories.', type: FollowedRepositoryListResponse })
  async list(): Promise<FollowedRepositoryListResponse> {
    return { repositories: await this.followed.list() };
  }
}
