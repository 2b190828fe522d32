import { BadRequestException } from '@nestjs/common';
import { type Transaction } from '@inference/database';
import { consumeMailToken } from '../../notifications/mail/mail-tokens';

/**
 * Uses a token up and returns its account and the address that it was sent to. Throws 400 if the token is unknown, used
 * or expired.
 */
export async function redeemMailToken(
  transaction: Transaction,
  purpose: 'reset_password' | 'verify_email',
  token: string,
): Promise<{ accountId: string; email: string }> {
  const redeemed = await consumeMailToken(transaction, purpose, token);
  if (!redeemed) throw new BadRequestException('token: is unknown, used or too old; ask for a new mail');
  return redeemed;
}
