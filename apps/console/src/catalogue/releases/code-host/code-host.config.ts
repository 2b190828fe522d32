import { env, type Site } from '@inference/config';
import { z } from 'zod';
import { isPrivateChannel } from '../../../validation/secure-url';
import { COMPONENTS, type Component } from '../../components/component';

export const CODE_HOST_CONFIG = Symbol('CODE_HOST_CONFIG');

const DEFAULT_CODE_HOSTS: Record<Site, { url: string; apiUrl: string }> = {
  intl: { url: 'https://github.com', apiUrl: 'https://api.github.com' },
  cn: { url: 'https://gitee.com', apiUrl: 'https://gitee.com/api/v5' },
};
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\/[A-Za-z0-9._-]{1,100}$/;

const privateUrl = () =>
  env
    .httpUrl()
    .refine(
      (url) => !URL.canParse(url) || isPrivateChannel(url),
      'must be https, except on this machine itself',
    );

export const codeHostFields = {
  /** Repositories whose releases are followed, as JSON `{component: "owner/repository"}`; none by default. */
  RELEASE_REPOSITORIES: env
    .json(
      z.partialRecord(
        z.enum(COMPONENTS),
        z.string('must be a text').regex(REPOSITORY, 'must be owner/repository'),
        `must be an object with some of ${COMPONENTS.join(', ')}`,
      ),
    )
    .default({}),
  /** Origin of the release files. By default GitHub on the intl site and Gitee on the cn site. */
  CODE_HOST_URL: env.httpUrl().optional(),
  /** Base URL of the code host's API. Required with `CODE_HOST_URL` if repositories are followed. */
  CODE_HOST_API_URL: privateUrl().optional(),
  /** Access token for the code host's API. Without it requests are anonymous. */
  CODE_HOST_TOKEN: z.string().optional(),
  /** Interval between two requests for the releases of one repository, in seconds. */
  RELEASE_POLL_SECONDS: env.integer(10, 86_400).default(300),
};

type Fields = z.output<z.ZodObject<typeof codeHostFields>>;

/** A code host other than the site's default needs the URL of its API too. */
export function checkCodeHost(config: Partial<Fields>, context: z.RefinementCtx): void {
  const { RELEASE_REPOSITORIES: repositories, CODE_HOST_URL: url, CODE_HOST_API_URL: apiUrl } = config;
  const follows = Object.keys(repositories ?? {}).length > 0;
  if (follows && url !== undefined && apiUrl === undefined)
    context.addIssue({
      code: 'custom',
      path: ['CODE_HOST_API_URL'],
      message: 'is missing beside CODE_HOST_URL',
    });
}

/** The code host that holds the release files, and the repositories that are followed there. */
export interface CodeHostConfig {
  /** Its origin is the origin of every release file. */
  url: string;
  apiUrl: string;
  token: string | undefined;
  repositories: Partial<Record<Component, string>>;
  pollSeconds: number;
}

export function codeHostOf(config: Fields & { SITE: Site }): CodeHostConfig {
  const defaults = DEFAULT_CODE_HOSTS[config.SITE];
  return {
    url: config.CODE_HOST_URL ?? defaults.url,
    apiUrl: config.CODE_HOST_API_URL ?? defaults.apiUrl,
    token: config.CODE_HOST_TOKEN,
    repositories: config.RELEASE_REPOSITORIES,
    pollSeconds: config.RELEASE_POLL_SECONDS,
  };
}
