import { type Caller, CurrentCaller, StaffOnly } from '@inference/guards';
import { BodyAs, Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import {
  applyDecorators,
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
} from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { AnnouncementPath } from './announcements.dto';
import {
  MailingCountResponse,
  MailingDto,
  MailingResponse,
  MailPreferenceDto,
  MailPreferenceResponse,
  UnsubscribeQuery,
} from './mailings.dto';
import { MailingsService } from './mailings.service';

const REFUSALS = {
  404: 'There is no such announcement.',
  409: 'It has ended or was sent by mail already, or the site sends no mail.',
};

@Controller('api/admin/announcements')
@ApiTags('Administration of announcements')
@StaffOnly()
export class AdminMailingsController {
  constructor(private readonly mailings: MailingsService) {}

  @Post(':id/mailing')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'mailAnnouncement',
    summary: 'Sends an announcement by mail, once, to the accounts that it addresses or to some of them.',
    description:
      'Accounts get it in their language, if their address is confirmed, they are not suspended, and have not unsubscribed. The mails go out at the rate of `ANNOUNCEMENT_MAILS_PER_MINUTE`.',
  })
  @ApiOkResponse({ description: 'The mailing.', type: MailingResponse })
  @ApiErrors({ ...REFUSALS, 409: `${REFUSALS[409].slice(0, -1)}, or no account would get it.` })
  start(
    @CurrentActor() actor: Actor,
    @Param() { id }: AnnouncementPath,
    @Body() body: MailingDto,
  ): Promise<MailingResponse> {
    return this.mailings.start(actor, id, body);
  }

  @Post(':id/mailing/count')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'countMailing',
    summary: 'Tells how many accounts would get an announcement by mail. Sends nothing.',
  })
  @ApiOkResponse({ description: 'Their number now.', type: MailingCountResponse })
  @ApiErrors(REFUSALS)
  count(@Param() { id }: AnnouncementPath, @Body() body: MailingDto): Promise<MailingCountResponse> {
    return this.mailings.count(id, body);
  }

  @Post(':id/mailing/cancel')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelMailing',
    summary: 'Stops an announcement by mail.',
    description: 'What was handed to the mail server cannot be taken back.',
  })
  @ApiOkResponse({ description: 'The cancelled mailing.', type: MailingResponse })
  @ApiErrors({ 404: 'The announcement was not sent by mail.', 409: 'The mailing has ended.' })
  cancel(@CurrentActor() actor: Actor, @Param() { id }: AnnouncementPath): Promise<MailingResponse> {
    return this.mailings.cancel(actor, id);
  }
}

@Controller('api/account/mail-preferences')
@ApiTags('Announcements')
export class OwnMailPreferencesController {
  constructor(private readonly mailings: MailingsService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'readMailPreferences', summary: 'Tells which mails the account gets.' })
  @ApiOkResponse({ description: 'What the account gets.', type: MailPreferenceResponse })
  read(@CurrentCaller() { accountId }: Caller): Promise<MailPreferenceResponse> {
    return this.mailings.readWanted(accountId);
  }

  @Put()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'setMailPreferences',
    summary: 'Stops or resumes announcements by mail to the account, as the link in each such mail does.',
    description: 'Mails about the account itself, such as those of sign-ins and payments, come all the same.',
  })
  @ApiOkResponse({ description: 'What the account gets from now on.', type: MailPreferenceResponse })
  set(
    @CurrentCaller() { accountId }: Caller,
    @Body() { announcements }: MailPreferenceDto,
  ): Promise<MailPreferenceResponse> {
    return this.mailings.setOwnWanted(accountId, announcements);
  }
}

/** Mail programs send a form (RFC 8058); what it says does not matter. */
const OneClick = () =>
  applyDecorators(
    HttpCode(200),
    Public(),
    BodyAs('bytes'),
    Header('Cache-Control', 'no-store'),
    ApiBody({
      description: 'Anything, also nothing. Mail programs send `List-Unsubscribe=One-Click`.',
      required: false,
      schema: { type: 'string' },
    }),
    ApiErrors({ 404: 'No mail has this code.' }),
  );

@Controller('api/mail')
@ApiTags('Announcements')
export class MailPreferencesController {
  constructor(private readonly mailings: MailingsService) {}

  @Post('unsubscribe')
  @OneClick()
  @ApiOperation({
    operationId: 'unsubscribe',
    summary: 'Stops announcements by mail to the account of a mail, without a sign-in (RFC 8058).',
  })
  @ApiOkResponse({ description: 'What the account gets from now on.', type: MailPreferenceResponse })
  unsubscribe(@Query() { code }: UnsubscribeQuery): Promise<MailPreferenceResponse> {
    return this.mailings.setWanted(code, false);
  }

  @Post('subscribe')
  @OneClick()
  @ApiOperation({
    operationId: 'subscribe',
    summary: 'Resumes announcements by mail to the account of a mail, without a sign-in.',
  })
  @ApiOkResponse({ description: 'What the account gets from now on.', type: MailPreferenceResponse })
  subscribe(@Query() { code }: UnsubscribeQuery): Promise<MailPreferenceResponse> {
    return this.mailings.setWanted(code, true);
  }
}
