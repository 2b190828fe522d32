import {
  Controller,
  Get,
  Header,
  HttpCode,
  HttpException,
  Inject,
  Param,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import { Public, ValidBody, ValidQuery } from '@inference/http';
import { type Request, type Response } from 'express';
import { SessionCookie } from '../sessions/session-cookie';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type Actor, CurrentActor } from '../audit-log/actor';
import { type Origin, RequestOrigin } from '../audit-log/request-origin';
import { CredentialAttempt } from '../../rate-limit/credential-attempt.decorator';
import { OAuthFlowCookie } from './oauth-flow-cookie';
import { linkStart, type LinkStart, start, type Start } from './oauth.dto';
import { codeOf } from '../oauth-providers/oauth.exception';
import { type CompletedFlow, OAuthService } from './oauth.service';

@Controller('api/auth/oauth')
export class OAuthController {
  constructor(
    private readonly oauth: OAuthService,
    private readonly flowCookie: OAuthFlowCookie,
    private readonly sessionCookie: SessionCookie,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /**
   * `?return_to=/path` → 302 to the provider. 400 for an invalid `return_to`, 404 for an unknown provider, 503 if it is
   * down; a client that prefers HTML is redirected to the login page instead.
   */
  @Get(':provider')
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  async begin(
    @Param('provider') provider: string,
    @ValidQuery(start) { return_to: returnTo }: Start,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const asksForPage = request.accepts(['json', 'html']) === 'html';
    await this.redirectErrors(asksForPage, response, async () => {
      const { authorizationUrl, sealed } = await this.oauth.begin(provider, returnTo ?? null);
      this.flowCookie.set(response, sealed);
      response.redirect(authorizationUrl);
    });
  }

  /**
   * Redirect URI of the provider. With `Accept: application/json`: `{token, user: {id, email}}` and the cookie
   * `session`, or `{challenge}`, or `{identity}` if the flow links one; errors are listed in oauth.exception.ts.
   * Otherwise 302 to the page `return_to` with the cookie, or to the login page with `?error=<code>`.
   */
  @Get(':provider/callback')
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  async finish(
    @Param('provider') provider: string,
    @RequestOrigin() origin: Origin,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const asksForPage = request.accepts(['html', 'json']) === 'html';
    const sealed = this.flowCookie.take(request, response);
    await this.redirectErrors(asksForPage, response, async () => {
      const finished = await this.oauth.finish(provider, sealed, queryOf(request), origin);
      const { view } = finished;
      if ('token' in view) this.sessionCookie.set(response, view.token);
      if (asksForPage) response.redirect(this.site.consoleUiUrl + landingPath(finished));
      else response.json(view);
    });
  }

  /**
   * `{password, return_to?}` → `{authorization_url}`. The identity that signs in there, in the same browser, is linked
   * to the account. 403 for a wrong password, 404 for an unknown provider, 503 if it is down.
   */
  @Post(':provider/link')
  @HttpCode(200)
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  async link(
    @Param('provider') provider: string,
    @ValidBody(linkStart) body: LinkStart,
    @CurrentActor() actor: Actor,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ authorization_url: string }> {
    const { authorizationUrl, sealed } = await this.oauth.beginLink(provider, body ?? {}, actor);
    this.flowCookie.set(response, sealed);
    return { authorization_url: authorizationUrl };
  }

  private async redirectErrors(
    asksForPage: boolean,
    response: Response,
    work: () => Promise<void>,
  ): Promise<void> {
    response.vary('Accept');
    try {
      await work();
    } catch (error) {
      // An unknown provider is 404 for browsers too, and an internal error has no code.
      const hasPage = error instanceof HttpException && error.getStatus() !== 404;
      if (!asksForPage || !hasPage) throw error;
      response.redirect(`${this.site.consoleUiUrl}/login?error=${codeOf(error)}`);
    }
  }
}

/** The query as it was sent. Express would parse repeated and nested parameters into lists and objects. */
function queryOf({ originalUrl }: Request): URLSearchParams {
  const at = originalUrl.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : originalUrl.slice(at));
}

/** The challenge is in the fragment, which browsers do not send to any server. */
function landingPath({ view, returnTo }: CompletedFlow): string {
  if (!('challenge' in view)) return returnTo ?? '/';
  const fragment = new URLSearchParams({ challenge: view.challenge.id });
  if (returnTo !== null) fragment.set('return_to', returnTo);
  return `/login/verify#${fragment}`;
}
