import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiErrors } from '@inference/openapi';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import { resultOf, SearchDto, SearchResponse } from './search.dto';
import { SearchService } from './search.service';

@Controller('v1/workspaces/:workspace_id/search')
@ApiTags('Search')
export class SearchController {
  constructor(private readonly searches: SearchService) {}

  @Post()
  @HttpCode(200)
  @ApiErrors({ 404: 'The workspace has not all of the documents in `document_ids`.' })
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'searchWorkspace',
    summary: 'Finds the passages of the documents that fit a query best.',
  })
  @ApiOkResponse({ description: 'The passages.', type: SearchResponse })
  async search(@CurrentMember() member: Member, @Body() body: SearchDto): Promise<SearchResponse> {
    const { passages } = await this.searches.find(member, body, true);
    return { results: passages.map(resultOf) };
  }
}
