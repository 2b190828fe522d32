import { Inject, Injectable } from '@nestjs/common';
import { readCookie } from '@inference/http';
import { type CookieOptions, type Request, type Response } from 'express';
import { OAUTH_PROVIDERS_CONFIG, type OAuthProvidersConfig } from '../oauth-providers/oauth-providers.config';
import { FLOW_SECONDS } from './oauth-flows.service';

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
