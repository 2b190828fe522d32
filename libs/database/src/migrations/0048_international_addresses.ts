import { domainToASCII, domainToUnicode } from 'node:url';
import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const COLUMNS: [table: string, column: string][] = [
  ['accounts.accounts', 'email'],
  ['accounts.mail_tokens', 'email'],
  ['accounts.mail_outbox', 'identifier'],
  ['memo.invitations', 'email'],
  ['memo.invitations', 'inviter_email'],
];

const NOT_TAKEN = ' AND NOT EXISTS (SELECT FROM accounts.accounts taken WHERE taken.email = $2)';

/** Addresses under international domains are stored with the domain in Unicode. Earlier versions took them in ASCII only. */
export class InternationalAddresses0000000000048 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await convertDomains(runner, String.raw`@(.*\.)?xn--`, domainToUnicode, domainToASCII);
  }

  /** Addresses with other letters before the @ stay; the version before cannot use them. */
  async down(runner: QueryRunner): Promise<void> {
    await convertDomains(runner, String.raw`@.*[^\x01-\x7f]`, domainToASCII, domainToUnicode);
  }
}

async function convertDomains(
  runner: QueryRunner,
  form: string,
  convert: (domain: string) => string,
  back: (domain: string) => string,
): Promise<void> {
  for (const [table, column] of COLUMNS) {
    const isUnique = table === 'accounts.accounts';
    const rows = (await runner.query(
      `SELECT DISTINCT ${column} AS address FROM ${table} WHERE ${column} ~ $1`,
      [form],
    )) as { address: string }[];
    for (const { address } of rows) {
      const at = address.lastIndexOf('@') + 1;
      const domain = address.slice(at);
      const converted = convert(domain);
      // Earlier versions took labels that are no domain, or another spelling of one. Such an address stays as it is.
      if (converted === '' || back(converted) !== domain) continue;
      await runner.query(
        `UPDATE ${table} SET ${column} = $2 WHERE ${column} = $1${isUnique ? NOT_TAKEN : ''}`,
        [address, address.slice(0, at) + converted],
      );
    }
  }
}
