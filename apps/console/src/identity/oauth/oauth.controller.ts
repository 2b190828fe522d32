import { AnyQuery, Public, readCookie, UnavailableException } from '@inference/http';
import { ApiErrors, ApiOneOf } from '@inference/openapi';
import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  HttpException,
  Inject,
  Injectable,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiBody,
  ApiForbiddenResponse,
  ApiFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  type ApiResponseOptions,
  ApiTags,
} from '@nestjs/swagger';
import { type CookieOptions, type Request, type Response } from 'express';
import { type Actor, CurrentActor, type Origin, RequestOrigin } from '../../accounts/audit-log/actor';
import { CredentialAttempt } from '../../rate-limit/rate-limits';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { OAUTH_PROVIDERS_CONFIG, type OAuthProvidersConfig } from '../identity.config';
import { codeOf } from '../oauth.exception';
import { SESSION_COOKIES, SessionCookies } from '../sessions/session-cookies';
import { ChallengeResponse, SessionResponse, SuspendedErrorResponse } from '../sign-in/auth.dto';
import { type Flow, FLOW_SECONDS } from './oauth-flows.service';
import {
  AuthorizationResponse,
  BeginSignInQuery,
  LinkedIdentityResponse,
  LinkIdentityDto,
  ProviderPath,
  SuspensionNoticeDto,
  SuspensionNoticeResponse,
} from './oauth.dto';
import { type CompletedFlow, OAuthService } from './oauth.service';

/**
 * Binds a flow to the browser that began it. SameSite=Lax, because the provider's redirect back is cross-site. `__Host-` keeps
 * another host from giving a browser a flow that ends in an account of that host; it needs the path `/`. A former name is not
 * read, because a flow lives for ten minutes only.
 */
@Injectable()
export class OAuthFlowCookie {
  private readonly name: string;
  private readonly options: CookieOptions;

  constructor(@Inject(OAUTH_PROVIDERS_CONFIG) { flowCookieName, isCookieSecure }: OAuthProvidersConfig) {
    this.name = flowCookieName;
    this.options = {
      httpOnly: true,
      sameSite: 'lax',
      secure: isCookieSecure,
      path: isCookieSecure ? '/' : '/api/auth/oauth',
    };
  }

  set(response: Response, sealed: string): void {
    response.cookie(this.name, sealed, { ...this.options, maxAge: FLOW_SECONDS * 1000 });
  }

  /** Reads and clears the cookie, because it can be used once. Clears none if it throws AmbiguousCookieException. */
  take(request: Request, response: Response): string | undefined {
    const sealed = readCookie(request.headers.cookie, { name: this.name });
    response.clearCookie(this.name, this.options);
    return sealed;
  }
}

const textHeader = (description: string, required: boolean) => ({
  description,
  required,
  schema: { type: 'string' as const },
});
const locationOf = (description: string): NonNullable<ApiResponseOptions['headers']> => ({
  Location: textHeader(description, true),
});
const FLOW_COOKIE =
  'The cookie `oauth_flow`, which binds the flow to the browser for ten minutes. HttpOnly, SameSite=Lax.';
const finishCookies = (required: boolean) => ({
  'Set-Cookie': textHeader(
    `Removes the cookie \`oauth_flow\`. With a session also ${SESSION_COOKIES}.`,
    required,
  ),
});
/*
 * Pages of the console to which browsers return.
 */
const SIGN_IN_PAGE = '/sign-in';
const SIGNED_IN_PAGE = '/sign-in/complete';
const SECOND_FACTOR_PAGE = '/sign-in/second-factor';
const IDENTITIES_PAGE = '/settings/identities';

const PROVIDER_ERRORS = {
  404: 'There is no such provider. Browsers get this answer too.',
  503: 'The provider or the database is not available.',
};

@Controller('api/auth/oauth')
@ApiTags('Sign-in')
export class OAuthController {
  constructor(
    private readonly oauth: OAuthService,
    private readonly flowCookie: OAuthFlowCookie,
    private readonly cookies: SessionCookies,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  @Get(':provider')
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'beginOAuthSignIn',
    summary: 'Begins a sign-in at an OpenID Connect provider.',
    description:
      'A link for browsers. If the provider is not available, a client that prefers HTML is redirected to the sign-in page with `#error=provider_unavailable`.',
  })
  @ApiFoundResponse({
    description: 'To the provider, or to the sign-in page with the code of an error.',
    headers: {
      ...locationOf('The page of the provider, or the sign-in page.'),
      'Set-Cookie': textHeader(FLOW_COOKIE, false),
    },
  })
  @ApiErrors(PROVIDER_ERRORS)
  async begin(
    @Param() { provider }: ProviderPath,
    @Query() { return_to: returnTo }: BeginSignInQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const asksForPage = request.accepts(['json', 'html']) === 'html';
    await this.redirectErrors(asksForPage ? () => SIGN_IN_PAGE : null, response, async () => {
      const { authorizationUrl, sealed } = await this.oauth.begin(provider, returnTo ?? null);
      this.flowCookie.set(response, sealed);
      response.redirect(authorizationUrl);
    });
  }

  @Get(':provider/callback')
  @Public()
  @AnyQuery()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'finishOAuthSignIn',
    summary: 'Ends a sign-in, or the linking of an identity, at a provider.',
    description:
      'The redirect URI of the provider. `Accept: application/json` gets JSON. A client that prefers HTML is redirected: with the cookies to `/sign-in/complete`, to `/sign-in/second-factor#challenge=…` for the second factor, after a link to `return_to` or `/settings/identities`, and on an error to `/sign-in#error=<code>` or `/settings/identities#error=<code>`. A sign-in with `return_to` hands it over in the fragment. No URL contains a token. Every answer removes the cookie `oauth_flow`, except 401 for two different ones. The first sign-in makes an account.',
  })
  @ApiQuery({
    name: 'error',
    description: 'Why the provider refuses the sign-in, instead of `code`.',
    required: false,
    schema: { type: 'string' },
  })
  @ApiQuery({
    name: 'code',
    description: 'The authorization code of the provider.',
    required: false,
    schema: { type: 'string' },
  })
  @ApiQuery({
    name: 'state',
    description: 'The state of the flow, once.',
    required: false,
    schema: { type: 'string' },
  })
  @ApiOneOf({
    description:
      'For `application/json`: the session, the challenge for the second factor, or the linked identity.',
    types: [SessionResponse, ChallengeResponse, LinkedIdentityResponse],
    headers: finishCookies(true),
  })
  @ApiFoundResponse({
    description: 'For clients that prefer HTML: to a page of the console.',
    headers: { ...locationOf('The page of the console.'), ...finishCookies(false) },
  })
  @ApiErrors({
    ...PROVIDER_ERRORS,
    400: 'The flow is too old, was begun in another browser, or the answer of the provider is not that of the flow.',
    401: 'The sign-in was refused, the cookie was sent with different values, or the session that asked for the link has ended.',
    409: 'Another account has the e-mail address or the identity.',
  })
  @ApiForbiddenResponse({
    description:
      'Consent was denied, the site takes no new accounts, the provider does not vouch for an e-mail address, or the account is suspended (`account_suspended`).',
    type: SuspendedErrorResponse,
  })
  async finish(
    @Param() { provider }: ProviderPath,
    @RequestOrigin() origin: Origin,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const asksForPage = request.accepts(['html', 'json']) === 'html';
    let flow: Flow | null = null;
    const errorPage = () => (flow?.link ? IDENTITIES_PAGE : SIGN_IN_PAGE);
    await this.redirectErrors(asksForPage ? errorPage : null, response, async () => {
      flow = await this.oauth.openFlow(provider, this.flowCookie.take(request, response));
      const finished = await this.oauth.finish(provider, flow, queryOf(request), origin);
      const { outcome } = finished;
      const body = 'refreshToken' in outcome ? this.cookies.admit(response, outcome) : outcome;
      if (asksForPage) response.redirect(this.site.consoleUiUrl + landingPath(finished));
      else response.json(body);
    });
  }

  @Post('suspension')
  @HttpCode(200)
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'readSuspension',
    summary: 'Tells the owner of a suspended account why, after a sign-in at a provider.',
    description:
      'Takes the `notice` of the fragment to which a browser was redirected with `account_suspended`. It is valid for ten minutes.',
  })
  @ApiOkResponse({ description: 'What the operator says.', type: SuspensionNoticeResponse })
  async suspension(@Body() { notice }: SuspensionNoticeDto): Promise<SuspensionNoticeResponse> {
    return this.oauth.openNotice(notice);
  }

  @Post(':provider/link')
  @HttpCode(200)
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'beginIdentityLink',
    summary: 'Begins to link an identity at a provider to the signed-in account.',
    description: 'The identity that signs in at the answered URL, in the same browser, is linked.',
  })
  @ApiBody({ type: LinkIdentityDto, required: false })
  @ApiOkResponse({
    description: 'Where to send the browser.',
    type: AuthorizationResponse,
    headers: { 'Set-Cookie': textHeader(FLOW_COOKIE, true) },
  })
  @ApiErrors({
    403: 'The password is wrong. An account without a password has to sign in again first.',
    404: 'There is no such provider.',
    503: PROVIDER_ERRORS[503],
  })
  async link(
    @Param() { provider }: ProviderPath,
    @Body() body: LinkIdentityDto,
    @CurrentActor() actor: Actor,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthorizationResponse> {
    const { authorizationUrl, sealed } = await this.oauth.beginLink(provider, body, actor);
    this.flowCookie.set(response, sealed);
    return { authorization_url: authorizationUrl };
  }

  /** @param errorPage of the console, for a client that prefers HTML; null for JSON */
  private async redirectErrors(
    errorPage: (() => string) | null,
    response: Response,
    work: () => Promise<void>,
  ): Promise<void> {
    response.vary('Accept');
    try {
      await work();
    } catch (error) {
      // An unknown provider is 404 for browsers too, a console that cannot work is 503, and an internal error has no code.
      const isUnavailable = error instanceof UnavailableException;
      const hasPage = error instanceof HttpException && error.getStatus() !== 404 && !isUnavailable;
      if (errorPage === null || !hasPage) throw error;
      const notice = await this.oauth.sealNotice(error);
      const more = notice === null ? '' : `&notice=${notice}`;
      response.redirect(`${this.site.consoleUiUrl}${errorPage()}#error=${codeOf(error)}${more}`);
    }
  }
}

/** The query as it was sent. Express would parse repeated and nested parameters into lists and objects. */
function queryOf({ originalUrl }: Request): URLSearchParams {
  const at = originalUrl.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : originalUrl.slice(at));
}

/**
 * Every sign-in leads to a page that knows that the browser is signed in now; that page leads on to `return_to`. The challenge is in
 * the fragment, which browsers do not send to any server.
 */
function landingPath({ outcome, returnTo }: CompletedFlow): string {
  if ('identity' in outcome) return returnTo ?? IDENTITIES_PAGE;
  const after = returnTo === null ? [] : [`return_to=${encodeURIComponent(returnTo)}`];
  if (!('challenge' in outcome)) return [SIGNED_IN_PAGE, ...after].join('#');
  const { id, methods, expires_at: expiresAt } = outcome.challenge;
  const challenge = [`challenge=${id}`, `methods=${methods.join(',')}`, `expires_at=${expiresAt}`];
  return `${SECOND_FACTOR_PAGE}#${[...challenge, ...after].join('&')}`;
}
