import { StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { ListOrCsv } from '../../lists/csv-list';
import {
  CloseProviderEventDto,
  ProviderEventDetailResponse,
  ProviderEventListResponse,
  ProviderEventPath,
  ProviderEventResponse,
  ProviderEventsQuery,
} from './provider-events.dto';
import { ProviderEventsService } from './provider-events.service';

const COLUMNS =
  `id provider event_id type kind payment_id account_id amount currency status reason received_at closed_at
  closed_as closed_by note`.split(/\s+/);

@Controller('api/admin/billing/provider-events')
@ApiTags('Administration of payments')
@StaffOnly()
export class ProviderEventsController {
  constructor(private readonly events: ProviderEventsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listProviderEvents',
    summary:
      'Lists disputes, refunds made at a provider, and other events that the platform does not act on, newest first.',
  })
  @ListOrCsv({
    description: 'A page of events.',
    type: ProviderEventListResponse,
    rows: 'events',
    columns: COLUMNS,
  })
  list(@Query() query: ProviderEventsQuery): Promise<ProviderEventListResponse> {
    return this.events.list(query);
  }

  @Get(':id')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getProviderEvent',
    summary: 'Returns an event with what the provider has signed.',
  })
  @ApiOkResponse({ description: 'The event.', type: ProviderEventDetailResponse })
  @ApiErrors({ 404: 'There is no such event.' })
  read(@Param() { id }: ProviderEventPath): Promise<ProviderEventDetailResponse> {
    return this.events.read(id);
  }

  @Post(':id/close')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'closeProviderEvent',
    summary: 'Closes an event that a person has dealt with.',
    description: 'It changes no payment and no wallet.',
  })
  @ApiOkResponse({ description: 'The closed event.', type: ProviderEventResponse })
  @ApiErrors({ 404: 'There is no such event.', 409: 'The event is closed already.' })
  close(
    @CurrentActor() actor: Actor,
    @Param() { id }: ProviderEventPath,
    @Body() { note }: CloseProviderEventDto,
  ): Promise<ProviderEventResponse> {
    return this.events.close(id, actor, note);
  }
}
