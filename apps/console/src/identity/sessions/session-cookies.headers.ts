import { type ApiResponseOptions } from '@nestjs/swagger';

type Headers = NonNullable<ApiResponseOptions['headers']>;

const cookieHeaders = (description: string, required: boolean): Headers => ({
  'Set-Cookie': { description, required, schema: { type: 'string' } },
});

/** The cookies of a session, under their default names without the prefix of production. */
export const SESSION_COOKIES =
  'the cookie `session` with the token, which the router-cost service accepts (HttpOnly, SameSite=Lax), and the cookie `refresh`, with which `POST /api/auth/refresh` continues the session (HttpOnly, SameSite=Strict)';

/*
 * For the API document: the headers that SessionCookies sets.
 */

export const NEW_COOKIE_HEADERS = cookieHeaders(`Sets ${SESSION_COOKIES}.`, true);
export const OPTIONAL_COOKIE_HEADERS = cookieHeaders(`With a session: ${SESSION_COOKIES}.`, false);
export const CLEARED_COOKIE_HEADERS = cookieHeaders('Removes the cookies `session` and `refresh`.', true);
