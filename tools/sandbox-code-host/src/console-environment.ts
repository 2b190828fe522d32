import { API_ROOTS, type HostName } from './repositories/release-formats';

export type Site = 'intl' | 'cn';

const HOST_OF_SITE: Record<Site, HostName> = { intl: 'github', cn: 'gitee' };

/** The environment variables with which the console of a site follows these repositories of the sandbox. */
export function consoleEnvironment(
  site: Site,
  url: string,
  { repositories, pollSeconds }: { repositories: Record<string, string>; pollSeconds: number },
): Record<string, string> {
  const host = HOST_OF_SITE[site];
  return {
    RELEASE_REPOSITORIES: JSON.stringify(repositories),
    CODE_HOST_URL: `${url}/${host}`,
    CODE_HOST_API_URL: url + API_ROOTS[host],
    RELEASE_POLL_SECONDS: String(pollSeconds),
  };
}
