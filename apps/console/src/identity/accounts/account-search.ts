import { withoutPunctuation } from './identifier';

/** LIKE patterns of the columns that a search reads; undefined where the text cannot be a part of one. */
export interface AccountSearch {
  /** Of the e-mail address and the username. */
  name: string;
  phone: string | undefined;
  id: string | undefined;
}

const PHONE_PART = /^\+?\d{3,}$/;
/** Fewer characters of an id would match random ids of many accounts: 62 ** 3 texts for 15 positions of each id. */
const ID_PART = /^(acct_)?([0-9A-Za-z]{4,})$/;

const escapeWildcards = (text: string) => text.replace(/[\\%_]/g, String.raw`\$&`);
const containing = (text: string) => `%${escapeWildcards(text)}%`;

/** What finds the accounts of which a text is a part of the e-mail address, username, phone number or id. */
export function accountSearch(text: string): AccountSearch {
  const phone = withoutPunctuation(text);
  const [, prefix, idPart] = ID_PART.exec(text) ?? [];
  return {
    name: containing(text.toLowerCase()),
    phone: PHONE_PART.test(phone) ? containing(phone) : undefined,
    id: idPart === undefined ? undefined : `${escapeWildcards('acct_')}${prefix ? '' : '%'}${idPart}%`,
  };
}
