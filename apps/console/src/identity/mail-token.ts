import { type Executor, type Transaction } from '@inference/database';
import { type FieldOptions, TextField } from '@inference/dto';
import { BadRequestException } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { accountOfMailToken, consumeMailToken } from '../notifications/mail/mail-tokens';

/** Answer to a request that concerns mail. It does not show whether there is an account. */
export class AcceptedResponse {
  @ApiProperty({ description: 'Always `accepted`.', enum: ['accepted'], example: 'accepted' })
  status!: 'accepted';
}

/** Chosen: longer than any token. */
const MAX_TOKEN_LENGTH = 200;

/** A token that came by mail. */
export const MailTokenField = (options: FieldOptions): PropertyDecorator =>
  TextField({ ...options, maxLength: MAX_TOKEN_LENGTH });

type Purpose = 'reset_password' | 'verify_email';

const invalidToken = () => new BadRequestException('token: is unknown, used or too old; ask for a new mail');

/** Returns the account of a token and does not use it up. Throws 400 if the token is unknown, used or expired. */
export async function readMailToken(executor: Executor, purpose: Purpose, token: string): Promise<string> {
  const accountId = await accountOfMailToken(executor, purpose, token);
  if (accountId === null) throw invalidToken();
  return accountId;
}

/**
 * Uses a token up and returns its account and the address that it was sent to. Throws 400 if the token is unknown, used
 * or expired.
 */
export async function redeemMailToken(
  transaction: Transaction,
  purpose: Purpose,
  token: string,
): Promise<{ accountId: string; email: string }> {
  const redeemed = await consumeMailToken(transaction, purpose, token);
  if (!redeemed) throw invalidToken();
  return redeemed;
}
