import { type Caller, CurrentCaller, StaffOnly } from '@inference/guards';
import { Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { ApiCachedResponse, type CacheableResponse, Cached } from '../../caching/cached.decorator';
import { ListOrCsv } from '../../lists/csv-list';
import {
  AnnouncementContentDto,
  AnnouncementPath,
  AnnouncementResponse,
  AnnouncementsQuery,
  AnnouncementsResponse,
  CurrentAnnouncementsResponse,
  NewAnnouncementDto,
} from './announcements.dto';
import { AnnouncementsService } from './announcements.service';

const COLUMNS =
  `id severity title_en body_en title_zh body_zh starts_at ends_at audience model addressed_accounts dismissed_by
  mailing.state mailing.recipients mailing.queued mailing.skipped
  created_by created_at`.split(/\s+/);

@Controller('api')
@ApiTags('Announcements')
export class AnnouncementsController {
  constructor(private readonly announcements: AnnouncementsService) {}

  @Get('announcements')
  @Public()
  @Cached()
  @ApiOperation({ operationId: 'listPublicAnnouncements', summary: 'Lists what is announced to everybody.' })
  @ApiCachedResponse(
    { description: 'The announcements in both languages.', type: CurrentAnnouncementsResponse },
    { hasLastModified: false },
  )
  listPublic(): Promise<CacheableResponse<CurrentAnnouncementsResponse>> {
    return this.announcements.listPublic();
  }

  @Get('account/announcements')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listAnnouncements',
    summary: 'Lists what is announced to the account and was not dismissed.',
  })
  @ApiOkResponse({
    description: 'The announcements in both languages.',
    type: CurrentAnnouncementsResponse,
  })
  listOf(@CurrentCaller() { accountId }: Caller): Promise<CurrentAnnouncementsResponse> {
    return this.announcements.listOf(accountId);
  }

  @Post('account/announcements/:id/dismiss')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'dismissAnnouncement',
    summary: 'Hides an announcement from the account, on all devices.',
  })
  @ApiNoContentResponse({ description: 'It is not shown any more.' })
  @ApiErrors({ 404: 'The account sees no such announcement.', 409: 'A critical one cannot be dismissed.' })
  dismiss(@CurrentCaller() { accountId }: Caller, @Param() { id }: AnnouncementPath): Promise<void> {
    return this.announcements.dismiss(accountId, id);
  }
}

@Controller('api/admin/announcements')
@ApiTags('Administration of announcements')
@StaffOnly()
export class AdminAnnouncementsController {
  constructor(private readonly announcements: AnnouncementsService) {}

  @Get()
  @ApiOperation({ operationId: 'listAllAnnouncements', summary: 'Lists all announcements, newest first.' })
  @ListOrCsv({
    description: 'A page of announcements.',
    type: AnnouncementsResponse,
    rows: 'announcements',
    columns: COLUMNS,
  })
  list(@Query() query: AnnouncementsQuery): Promise<AnnouncementsResponse> {
    return this.announcements.list(query);
  }

  @Post()
  @ApiOperation({
    operationId: 'createAnnouncement',
    summary: 'Announces something to customers.',
    description: 'The accounts that have used a model are found now: who uses it later does not see it.',
  })
  @ApiCreatedResponse({ description: 'The new announcement.', type: AnnouncementResponse })
  create(@CurrentActor() actor: Actor, @Body() body: NewAnnouncementDto): Promise<AnnouncementResponse> {
    return this.announcements.create(actor, body);
  }

  @Put(':id')
  @ApiOperation({
    operationId: 'replaceAnnouncement',
    summary: 'Replaces the texts, the severity and the times of an announcement.',
    description: 'Its audience stays. Who has dismissed it does not see it again.',
  })
  @ApiOkResponse({ description: 'The announcement as it is now.', type: AnnouncementResponse })
  @ApiErrors({ 404: 'There is no such announcement.' })
  replace(
    @CurrentActor() actor: Actor,
    @Param() { id }: AnnouncementPath,
    @Body() body: AnnouncementContentDto,
  ): Promise<AnnouncementResponse> {
    return this.announcements.replace(actor, id, body);
  }

  @Post(':id/end')
  @HttpCode(200)
  @ApiOperation({ operationId: 'endAnnouncement', summary: 'Ends an announcement now.' })
  @ApiOkResponse({ description: 'The ended announcement.', type: AnnouncementResponse })
  @ApiErrors({ 404: 'There is no such announcement.', 409: 'It has ended already.' })
  end(@CurrentActor() actor: Actor, @Param() { id }: AnnouncementPath): Promise<AnnouncementResponse> {
    return this.announcements.end(actor, id);
  }
}
