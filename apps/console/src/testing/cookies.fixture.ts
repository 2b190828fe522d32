import { type Answer, type RequestOptions, type TestConsole } from './console.fixture';

/** `name=value` of a cookie that a response sets; undefined if it sets none or clears it. */
export function cookieIn({ headers }: Answer, name: string): string | undefined {
  const line = headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`));
  const pair = line?.split(';')[0];
  return pair === `${name}=` ? undefined : pair;
}

/** The attributes of a cookie that a response sets or clears, sorted, without the time of its expiry. */
export function cookieAttributes({ headers }: Answer, name: string): string[] {
  const line = headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`)) ?? '';
  return line
    .split('; ')
    .slice(1)
    .filter((attribute) => !attribute.startsWith('Expires='))
    .sort();
}

/** Keeps cookies as a browser does that reaches all consoles under one host name: by name and path, not by port. */
export class Browser {
  private readonly cookies = new Map<string, { name: string; value: string; path: string }>();

  async request(
    console: TestConsole,
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    const sent = [...this.cookies.values()]
      .filter((cookie) => cookie.path === '/' || cookie.path === path || path.startsWith(`${cookie.path}/`))
      .map(({ name, value }) => `${name}=${value}`);
    const headers = { ...options.headers, ...(sent.length > 0 && { Cookie: sent.join('; ') }) };
    const answer = await console.request(method, path, { ...options, headers });
    this.keep(answer);
    return answer;
  }

  private keep({ headers }: Answer): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      const path =
        attributes.find((attribute) => attribute.startsWith('Path='))?.slice('Path='.length) ?? '/';
      if (value === '') this.cookies.delete(`${name} ${path}`);
      else this.cookies.set(`${name} ${path}`, { name, value, path });
    }
  }
}
