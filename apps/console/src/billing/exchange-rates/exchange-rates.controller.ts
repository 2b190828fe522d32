import { StaffOnly } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import {
  ExchangeRateHistoryResponse,
  ExchangeRateListResponse,
  PublishExchangeRatesDto,
  PublishExchangeRatesQuery,
} from './exchange-rates.dto';
import { ExchangeRatesService } from './exchange-rates.service';

@Controller('api/admin/billing/exchange-rates')
@ApiTags('Administration of prices')
@StaffOnly()
export class ExchangeRatesController {
  constructor(private readonly exchangeRates: ExchangeRatesService) {}

  @Get()
  @ApiOperation({
    operationId: 'listExchangeRates',
    summary: 'Returns the exchange rate in force, and all rates, newest day first.',
    description: 'A site whose currency is USD has none.',
  })
  @ListOrCsv({
    description: 'A page of rates.',
    type: ExchangeRateHistoryResponse,
    rows: 'rates',
    columns: 'date usd_per_unit'.split(' '),
  })
  list(@Query() query: PageQuery): Promise<ExchangeRateHistoryResponse> {
    return this.exchangeRates.list(query);
  }

  @Put()
  @ApiOperation({
    operationId: 'publishExchangeRates',
    summary: 'Adds or changes the exchange rates of days.',
    description: 'Days that the body does not name stay as they are.',
  })
  @ApiOkResponse({ description: 'What was stored.', type: ExchangeRateListResponse })
  @ApiErrors({
    409: 'Other rates than those of `version` are stored, or the currency of the site is USD, which needs no exchange rate.',
  })
  store(
    @CurrentActor() admin: Actor,
    @Body() body: PublishExchangeRatesDto,
    @Query() query: PublishExchangeRatesQuery,
  ): Promise<ExchangeRateListResponse> {
    return this.exchangeRates.store(admin, body, query);
  }
}
