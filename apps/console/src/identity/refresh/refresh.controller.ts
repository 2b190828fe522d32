import { InstantProperty } from '@inference/dto';
import { isFromForeignPage } from '@inference/guards';
import { Public } from '@inference/http';
import { ApiErrors, CodedErrorResponse } from '@inference/openapi';
import {
  Controller,
  ForbiddenException,
  Header,
  HttpCode,
  Inject,
  Post,
  Req,
  Res,
  UnauthorizedException,
} from '@nestjs/common';
import { ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { type Origin, RequestOrigin } from '../../accounts/audit-log/actor';
import { RefreshAttempt } from '../../rate-limit/rate-limits';
import { SESSIONS_CONFIG, type SessionsConfig } from '../identity.config';
import { NEW_COOKIE_HEADERS, SessionCookies } from '../sessions/session-cookies';
import { SessionUserResponse } from '../sessions/sessions.dto';
import { RefreshService } from './refresh.service';

/** A session that goes on. */
class RefreshedSessionResponse {
  @ApiProperty({
    description: 'The new session token (JWT), to be sent as `Authorization: Bearer …`.',
    example: 'eyJhbGciOiJFUzI1NiIs…',
  })
  token!: string;

  @InstantProperty({ description: 'When the token expires.' })
  expires_at!: string;

  @ApiProperty({ description: 'The account.' })
  user!: SessionUserResponse;
}

@Controller('api/auth/refresh')
@ApiTags('Sign-in')
export class RefreshController {
  constructor(
    private readonly refreshes: RefreshService,
    private readonly cookies: SessionCookies,
    @Inject(SESSIONS_CONFIG) private readonly config: SessionsConfig,
  ) {}

  @Post()
  @HttpCode(200)
  @Public()
  @RefreshAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'refreshSession',
    summary: 'Continues the session of a browser.',
    description:
      'Takes the cookie `refresh` and replaces its value, at most once in ten seconds. The value before is answered with the same new one for ten seconds, because an answer may be lost. If it comes later, the session ends. 401 removes the cookie, unless it was sent with different values.',
  })
  @ApiOkResponse({
    description: 'A new token of the session.',
    type: RefreshedSessionResponse,
    headers: NEW_COOKIE_HEADERS,
  })
  @ApiErrors({
    401: 'The cookie is missing, unknown or expired, was sent with different values, was replaced earlier, or its session has ended.',
  })
  @ApiForbiddenResponse({
    description: 'A page of another origin sent the request. `account_suspended`: the account is suspended.',
    type: CodedErrorResponse,
  })
  async refresh(
    @RequestOrigin() origin: Origin,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RefreshedSessionResponse> {
    if (isFromForeignPage(request, this.config.pageOrigins))
      throw new ForbiddenException('the refresh cookie is not accepted from a page of another origin');
    const text = this.cookies.refreshTokenOf(request);
    const session = text === undefined ? null : await this.refreshes.refresh(text, origin);
    if (!session) {
      this.cookies.clearRefreshToken(response);
      throw new UnauthorizedException('the session cannot be continued; sign in again');
    }
    this.cookies.set(response, session);
    const { token, expiresAt, user } = session;
    return { token, expires_at: expiresAt.toISOString(), user };
  }
}
