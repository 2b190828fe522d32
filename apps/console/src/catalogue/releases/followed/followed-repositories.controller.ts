import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { StaffOnly } from '@inference/guards';
import { ListOrCsv } from '../../../lists/csv-list';
import { FollowedRepositoryListResponse } from './followed-repositories.dto';
import { FollowedRepositoriesService } from './followed-repositories.service';

@Controller('api/admin/releases/followed')
@ApiTags('Administration of releases')
@StaffOnly()
export class FollowedRepositoriesController {
  constructor(private readonly followed: FollowedRepositoriesService) {}

  @Get()
  @ApiOperation({
    operationId: 'listFollowedRepositories',
    summary: 'Returns the state of the followed repositories.',
  })
  @ListOrCsv({
    description: 'All followed repositories.',
    type: FollowedRepositoryListResponse,
    rows: 'repositories',
    columns: 'component repository tag_name checked_at succeeded_at next_check_at failures last_error'.split(
      ' ',
    ),
  })
  async list(): Promise<FollowedRepositoryListResponse> {
    return { repositories: await this.followed.list() };
  }
}
