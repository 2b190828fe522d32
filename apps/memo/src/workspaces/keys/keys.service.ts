import {
  ConflictException,
  ForbiddenException,
  Inject,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { hashSecretKey } from '@inference/guards';
import { Database, newId } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { type Member } from '../../access/member';
import { isAtLeast, lowerRole, type WorkspaceKey, type WorkspaceRole } from '../../tables/workspace.entity';
import { lockMembers } from '../members/members.service';
import {
  type CreatedKeyResponse,
  type CreateKeyDto,
  type KeyListResponse,
  type KeyResponse,
} from './key.dto';
import { createWorkspaceKey, KEYS_CONFIG, type KeysConfig } from './workspace-key.strategy';
import { countKeys, deleteKey, insertKey, isLiveSession, listKeys } from './keys.repository';

/** Bounds the list of keys, which clients read as a whole; a member needs one key per program. */
const MAX_KEYS_PER_MEMBER = 100;

@Injectable()
export class KeysService {
  constructor(
    private readonly database: Database,
    @Inject(KEYS_CONFIG) private readonly config: KeysConfig,
  ) {}

  /**
   * Throws 401 if the session has just ended, 403 for a role above the caller's own, and 409 if the caller has too many keys.
   */
  create(member: Member, sessionId: string, { name, role }: CreateKeyDto): Promise<CreatedKeyResponse> {
    const { key, prefix } = createWorkspaceKey();
    const keyHash = hashSecretKey(key, this.config.API_KEY_HASH_SECRET);
    const { workspaceId, accountId } = member;
    return this.database.transaction(async (transaction) => {
      const own = await lockMembers(transaction, member);
      // A reset of the password ends the sessions and deletes keys; no key may be made after it with a session from before.
      if (!(await isLiveSession(transaction, { id: sessionId, accountId })))
        throw new UnauthorizedException('the session has just ended');
      if (!isAtLeast(own, role)) throw new ForbiddenException(`role: must not be above your own, ${own}`);
      if ((await countKeys(transaction, { workspaceId, accountId })) >= MAX_KEYS_PER_MEMBER)
        throw new ConflictException(`a member has ${MAX_KEYS_PER_MEMBER} keys at most; delete one first`);
      const created = { id: newId('wk'), workspaceId, accountId, name, prefix, keyHash, role };
      return { ...responseOf(await insertKey(transaction, created), role), key };
    });
  }

  async list({ workspaceId, accountId, role }: Member, query: PageQuery): Promise<KeyListResponse> {
    const filter = role === 'admin' ? { workspaceId } : { workspaceId, accountId };
    const { rows, nextCursor } = await readPage(`keys:${workspaceId}:${accountId}`, query, (after, count) =>
      listKeys(this.database, filter, after, count),
    );
    const keys = rows.map((key) => responseOf(key, lowerRole(key.role, key.member.role)));
    return { keys, next_cursor: nextCursor };
  }

  async remove(member: Member, id: string): Promise<void> {
    if (!(await deleteKey(this.database, member, id))) throw new NotFoundException('no such key');
  }
}

const responseOf = (key: WorkspaceKey, effectiveRole: WorkspaceRole): KeyResponse => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  role: key.role,
  effective_role: effectiveRole,
  created_by: key.accountId,
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
});
