const MAX_REDIRECTS = 10;

/** The input for the sign-in page. */
export interface SignIn {
  email: string;
  /** Default true. */
  verified?: boolean;
  /** Default approve. */
  decision?: 'approve' | 'deny';
}

/** Keeps cookies and follows redirects as long as they stay at the provider. */
export class Browser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly origin: string) {}

  async signIn(
    authorizationUrl: string,
    { email, verified = true, decision = 'approve' }: SignIn,
  ): Promise<string> {
    const page = await this.follow(authorizationUrl);
    if (typeof page === 'string') return page;
    const action = /<form method="post" action="([^"]+)">/.exec(page.text)?.[1];
    if (action === undefined) throw new Error(`The provider showed no form (${page.status}): ${page.text}`);
    const form = new URLSearchParams({ email, decision, ...(verified ? { verified: 'yes' } : {}) });
    const outcome = await this.follow(new URL(action, this.origin).href, form);
    if (typeof outcome !== 'string') throw new Error(`The provider sent nobody back (${outcome.status}).`);
    return outcome;
  }

  /** The page at the end, or the address outside that it leads to. */
  private async follow(
    url: string,
    form?: URLSearchParams,
  ): Promise<string | { status: number; text: string }> {
    for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
      if (!url.startsWith(`${this.origin}/`)) return url;
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(form ? { method: 'POST', body: form } : {}),
      });
      this.keepCookies(response);
      const text = await response.text();
      const location = response.headers.get('location');
      if (location === null) return { status: response.status, text };
      url = new URL(location, url).href;
      form = undefined;
    }
    throw new Error('The provider redirects without end.');
  }

  private keepCookies(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      if (pair.slice(at + 1)) this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
      else this.cookies.delete(pair.slice(0, at));
    }
  }
}
