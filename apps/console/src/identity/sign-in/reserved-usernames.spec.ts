import { isReservedUsername } from './auth.service';

it.each(['admin', 'root', 'support', 'admin1', 'ad.min', 'no-reply', 'sys_admin_007', 'www'])(
  'reserves %s',
  (username) => expect(isReservedUsername(username)).toBe(true),
);

it.each(['ann', 'administrata', 'rooted', 'user.ann', 'helper', 'taken'])('leaves %s to people', (username) =>
  expect(isReservedUsername(username)).toBe(false),
);
