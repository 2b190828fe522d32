import { type Transaction } from '@inference/database';
import { findTransfer, postTransfer } from '@inference/wallet';
import { Inject, Injectable } from '@nestjs/common';
import { isEmailVerified } from '../accounts/credentials.repository';
import { enableLowBalanceAlert } from '../notifications/low-balance/low-balance-alert.repository';
import { LOW_BALANCE_CONFIG, type LowBalanceConfig } from '../notifications/notifications.config';
import { SITE_CONFIG, type SiteConfig } from '../site.config';

export const START_CREDIT_CONFIG = Symbol('START_CREDIT_CONFIG');

export interface StartCreditConfig {
  /** In the site's currency; 0: none. */
  amountPicos: bigint;
}

const DESCRIPTIONS = { intl: 'Start credit', cn: '新用户赠送额度' };

/** What an account gets once, when its address is confirmed, so that it can make calls before it pays. */
@Injectable()
export class StartCredit {
  constructor(
    @Inject(START_CREDIT_CONFIG) private readonly config: StartCreditConfig,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(LOW_BALANCE_CONFIG) private readonly lowBalance: LowBalanceConfig,
  ) {}

  /**
   * To be called in each transaction in which somebody may confirm an address, before it locks API keys: it locks the wallet. An account
   * that has had the credit gets no other.
   */
  async give(transaction: Transaction, accountId: string): Promise<void> {
    const { amountPicos } = this.config;
    const reference = `start-credit:${accountId}`;
    if (amountPicos === 0n || (await findTransfer(transaction, reference))) return;
    if (!(await isEmailVerified(transaction, accountId))) return;
    await postTransfer(transaction, {
      kind: 'adjustment',
      accountId,
      amountPicos,
      counterpart: 'equity:adjustments',
      reference,
      description: DESCRIPTIONS[this.site.site],
    });
    await enableLowBalanceAlert(transaction, accountId, this.lowBalance.thresholdPicos);
  }
}
