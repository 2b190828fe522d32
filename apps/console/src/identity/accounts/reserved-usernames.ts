import { withLetters } from '../passwords/refused-passwords';

/**
 * Names that other people take for the operator, its staff or the system, or that mail and web servers use (RFC 2142). Signs and
 * digits do not make another name of one, and digits that stand for letters do not either.
 */
const RESERVED: ReadonlySet<string> = new Set(
  `abuse accounts admin administration administrator admins anonymous api auth billing bot ceo console contact customerservice
  customersupport daemon everyone finance guest help helpdesk hostmaster info invoice invoices legal login mail mailerdaemon
  moderator nobody noc noreply null official operator operators owner payment payments postmaster privacy root sales security
  service staff superadmin superuser support supportteam sysadmin sysop system team undefined unknown webmaster www`
    .trim()
    .split(/\s+/),
);

/** @param username in lower case */
export const isReservedUsername = (username: string): boolean =>
  [username, withLetters(username)].some((name) => RESERVED.has(name.replace(/[^a-z]/g, '')));
