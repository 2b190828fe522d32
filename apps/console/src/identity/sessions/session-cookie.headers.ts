import { type ApiResponseOptions } from '@nestjs/swagger';

type Headers = NonNullable<ApiResponseOptions['headers']>;

const cookieHeaders = (description: string, required: boolean): Headers => ({
  'Set-Cookie': { description, required, schema: { type: 'string' } },
});

/*
 * For the API document: the headers that SessionCookie sets.
 */

export const NEW_COOKIE_HEADERS = cookieHeaders(
  'The cookie `session` with the token, which the router-cost service accepts. HttpOnly, SameSite=Lax.',
  true,
);
export const OPTIONAL_COOKIE_HEADERS = cookieHeaders(
  'With a session: the cookie `session` with the token, which the router-cost service accepts. HttpOnly, SameSite=Lax.',
  false,
);
export const CLEARED_COOKIE_HEADERS = cookieHeaders('Removes the cookie `session`.', true);
