import { type Executor } from '@inference/database';
import { ApiKey } from '../api-keys/api-key.entity';
import { AccountRole } from './account-role.entity';

/** The account with its key of this id, if it has one that is not deleted. Null for an unknown account. */
export function findAccountWithKey(
  executor: Executor,
  accountId: string,
  apiKeyId: string | undefined,
): Promise<(AccountRole & { apiKey: ApiKey | null }) | null> {
  return executor
    .repository<AccountRole & { apiKey: ApiKey | null }>(AccountRole)
    .createQueryBuilder('account')
    .leftJoinAndMapOne(
      'account.apiKey',
      ApiKey,
      'key',
      'key.accountId = account.id AND key.id = :apiKeyId AND key.deletedAt IS NULL',
      { apiKeyId: apiKeyId ?? null },
    )
    .where('account.id = :accountId', { accountId })
    .getOne();
}
