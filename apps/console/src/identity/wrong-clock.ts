import { UnavailableException } from '@inference/http';

/** 503: nobody can sign in while the clock of this host is so far off. @param aheadMillis negative if it is behind the database's */
export function wrongClock(aheadMillis: number): UnavailableException {
  const seconds = Math.round(Math.abs(aheadMillis) / 1_000);
  const where = aheadMillis > 0 ? 'ahead of' : 'behind';
  return new UnavailableException(
    `nobody can sign in here: the clock of the server is ${seconds} s ${where} the database's`,
    'wrong_clock',
  );
}
