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
import { SessionCookie } from '../auth/session-cookie';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Actor, CurrentActor } from '../events/actor';
import { type Origin, RequestOrigin } from '../events/request-origin';
import { CredentialAttempt } from '../rate-limit/rate-limits';
import { FlowCookie } from './flow-cookie';
import { linkStart, type LinkStart, start, type Start } from './oauth.dto';
import { codeOf } from './oauth.failures';
import { type Finished, OAuthService } from './oauth.service';

@Controller('api/auth/oauth')
export class OAuthController {
  constructor(
    private readonly oauth: OAuthService,
    private readonly flowCookie: FlowCookie,
    private readonly sessionCookie: SessionCookie,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /**
   * `?return_to=/path` → 302 to the provider; 400 for another `return_to`, 404 for an unknown provider, 503 when it is
   * down, or, for whoever asks for HTML, 302 to the login page.
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
    await this.orLoginPage(asksForPage, response, async () => {
      const { authorizationUrl, sealed } = await this.oauth.begin(provider, returnTo ?? null);
      this.flowCookie.set(response, sealed);
      response.redirect(authorizationUrl);
    });
  }

  /**
   * Where the provider sends people back to. With `Accept: application/json`: `{token, user: {id, email}}` and the
   * cookie `session`, `{challenge}`, or `{identity}` when it was begun to link one; 400, 401, 403, 404, 409, 503 (see
   * oauth.failures.ts). Otherwise 302 into the interface, with the cookie, or with `?error=<code>` to its login page.
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
    await this.orLoginPage(asksForPage, response, async () => {
      const finished = await this.oauth.finish(provider, sealed, queryOf(request), origin);
      const { view } = finished;
      if (!('identity' in view)) this.sessionCookie.set(response, view);
      if (asksForPage) response.redirect(this.config.CONSOLE_UI_URL + landingOf(finished));
      else response.json(view);
    });
  }

  /**
   * `{password, return_to?}` → `{authorization_url}`: whoever signs in there, in the browser that asked, is linked to the
   * account; 403 for a wrong password, 404 for an unknown provider, 503 when it is down.
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

  private async orLoginPage(
    asksForPage: boolean,
    response: Response,
    work: () => Promise<void>,
  ): Promise<void> {
    response.vary('Accept');
    try {
      await work();
    } catch (error) {
      // There is no page at the address of a provider that there is not, and a fault of this service has no code.
      const hasPage = error instanceof HttpException && error.getStatus() !== 404;
      if (!asksForPage || !hasPage) throw error;
      response.redirect(`${this.config.CONSOLE_UI_URL}/login?error=${codeOf(error)}`);
    }
  }
}

/** As it was sent: Express would make lists and objects of it. */
function queryOf({ originalUrl }: Request): URLSearchParams {
  const at = originalUrl.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : originalUrl.slice(at));
}

/** A challenge travels in the fragment, which no server sees. */
function landingOf({ view, returnTo }: Finished): string {
  if (!('challenge' in view)) return returnTo ?? '/';
  const fragment = new URLSearchParams({ challenge: view.challenge.id });
  if (returnTo !== null) fragment.set('return_to', returnTo);
  return `/login/verify#${fragment}`;
}
