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
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isFromForeignPage } from '@inference/guards';
import { Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { type Request, type Response } from 'express';
import { RefreshAttempt } from '../../rate-limit/credential-attempt.decorator';
import { type Origin, RequestOrigin } from '../audit-log/request-origin';
import { SessionCookies } from '../sessions/session-cookies';
import { NEW_COOKIE_HEADERS } from '../sessions/session-cookies.headers';
import { SESSIONS_CONFIG, type SessionsConfig } from '../sessions/sessions.config';
import { RefreshedSessionResponse } from './refresh.dto';
import { RefreshService } from './refresh.service';

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
    403: 'A page of another origin sent the request.',
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
