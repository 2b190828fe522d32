import { Controller, HttpCode, Post } from '@nestjs/common';
import { ValidBody } from '@inference/http';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import { resultOf, searchBody, type SearchBody, type SearchResult } from './search.dto';
import { SearchService } from './search.service';

@Controller('v1/workspaces/:workspace_id/search')
@RequiresRole('viewer')
export class SearchController {
  constructor(private readonly searches: SearchService) {}

  /** The passages that retrieval finds, best first. */
  @Post()
  @HttpCode(200)
  async search(
    @CurrentMember() member: Member,
    @ValidBody(searchBody) { query, k }: SearchBody,
  ): Promise<{ results: SearchResult[] }> {
    const { passages } = await this.searches.find(member, query, k);
    return { results: passages.map(resultOf) };
  }
}
