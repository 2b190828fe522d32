/** @import { Kind } from './crossing-statements.mjs' */

/** @type {Record<Kind, string>} */
export const KINDS = {
  batch: 'Rows of several accounts by their ids, in one statement that saves a statement for each.',
  key: 'Looks one account up by something that is unique on the whole site, or several rows by their ids.',
  job: 'Background work over all accounts, in small portions.',
  admin: 'Lists of all accounts for admins and analysts, a page at a time.',
  report: 'Sums over all accounts.',
  operator: 'Commands of an operator.',
};
