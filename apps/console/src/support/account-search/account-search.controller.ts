import { StaffOnly } from '@inference/guards';
import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountSearchDto, AccountSearchResponse } from './account-search.dto';
import { AccountSearchService } from './account-search.service';

@Controller('api/admin/accounts')
@ApiTags('Support')
@StaffOnly()
export class AccountSearchController {
  constructor(private readonly accounts: AccountSearchService) {}

  /** A POST, because a key that somebody pastes must not get into the logs of proxies. */
  @Post('search')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'searchAccounts',
    summary: 'Finds accounts by anything that names them, or something of them.',
  })
  @ApiOkResponse({ description: 'What was found.', type: AccountSearchResponse })
  async search(@Body() { query }: AccountSearchDto): Promise<AccountSearchResponse> {
    return { matches: await this.accounts.search(query) };
  }
}
