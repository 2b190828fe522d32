/** Marks what this gateway has written. */
const MARK = 'gw1:';

/**
 * The thoughts of a model in the field `encrypted_content`, which clients send back unread. They are not secret from the client, which
 * gets them as a text, too; so they are not encrypted.
 */
export const keepThought = (text: string): string => MARK + Buffer.from(text).toString('base64');

/** What `keepThought` has kept; undefined for what another service has encrypted. */
export const readThought = (kept: string): string | undefined =>
  kept.startsWith(MARK) ? Buffer.from(kept.slice(MARK.length), 'base64').toString('utf8') : undefined;
