import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { Database, newId, type Transaction } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { type Member } from '../access/member';
import { lockWorkspaceExclusively } from '../access/membership.repository';
import { type WorkspaceRole } from '../tables/workspace.entity';
import { requireRole, workspaceNotFound } from '../access/role-check';
import { discardWorkspace } from '../retrieval/index/storage/garbage.repository';
import { deleteDocuments } from '../documents/documents.repository';
import { lockAsAdmin } from './members/members.service';
import { insertMember } from './members/members.repository';
import { type WorkspaceDto, type WorkspaceListResponse, type WorkspaceResponse } from './workspace.dto';
import { WORKSPACES_CONFIG, type WorkspacesConfig } from './workspaces.config';
import {
  countCreatedWorkspaces,
  deleteWorkspace,
  findWorkspaceOfMember,
  insertWorkspace,
  listWorkspacesOfMember,
  lockCreator,
  renameWorkspace,
  type WorkspaceOfMember,
} from './workspaces.repository';

@Injectable()
export class WorkspacesService {
  constructor(
    private readonly database: Database,
    @Inject(WORKSPACES_CONFIG) private readonly config: WorkspacesConfig,
  ) {}

  /** Throws 409 if the account has created too many workspaces. */
  async create({ accountId }: Caller, { name }: WorkspaceDto): Promise<WorkspaceResponse> {
    const workspaceId = newId('ws');
    await this.database.transaction(async (transaction) => {
      await this.requireFreeSlot(transaction, accountId);
      await insertWorkspace(transaction, { id: workspaceId, name, createdBy: accountId });
      await insertMember(transaction, { workspaceId, accountId, role: 'admin', showsEmail: true });
    });
    return this.find({ workspaceId, accountId, role: 'admin', keyId: null });
  }

  async list({ accountId }: Caller, query: PageQuery): Promise<WorkspaceListResponse> {
    const { rows, nextCursor } = await readPage(`workspaces:${accountId}`, query, (after, count) =>
      listWorkspacesOfMember(this.database, accountId, after, count),
    );
    return { workspaces: rows.map((row) => responseOf(row, row.role)), next_cursor: nextCursor };
  }

  async find(member: Member): Promise<WorkspaceResponse> {
    return responseOf(await this.findOf(member), member.role);
  }

  /** The workspace as the account sees it, which has just become a member. */
  async findAsMember(workspaceId: string, accountId: string): Promise<WorkspaceResponse> {
    const found = await this.findOf({ workspaceId, accountId });
    return responseOf(found, found.role);
  }

  private async findOf(membership: Pick<Member, 'workspaceId' | 'accountId'>): Promise<WorkspaceOfMember> {
    const found = await findWorkspaceOfMember(this.database, membership);
    if (!found) throw workspaceNotFound();
    return found;
  }

  async rename(member: Member, { name }: WorkspaceDto): Promise<WorkspaceResponse> {
    await this.database.transaction(async (transaction) => {
      // The update takes the lock under which roles change. Taking the lock of the role first would deadlock with a
      // change of roles.
      await renameWorkspace(transaction, member.workspaceId, name);
      await requireRole(transaction, member, 'admin');
    });
    return this.find(member);
  }

  async remove(member: Member): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await lockAsAdmin(transaction, member, lockWorkspaceExclusively);
      await discardWorkspace(transaction, member.workspaceId);
      // Documents first: answers that are being stored lock documents and then wait for the workspace.
      await deleteDocuments(transaction, member.workspaceId);
      await deleteWorkspace(transaction, member.workspaceId);
    });
  }

  private async requireFreeSlot(transaction: Transaction, accountId: string): Promise<void> {
    await lockCreator(transaction, accountId);
    const { maxWorkspacesPerAccount } = this.config;
    if ((await countCreatedWorkspaces(transaction, accountId)) >= maxWorkspacesPerAccount)
      throw new ConflictException(
        `an account makes ${maxWorkspacesPerAccount} workspaces at most; delete one first`,
      );
  }
}

const responseOf = (workspace: WorkspaceOfMember, role: WorkspaceRole): WorkspaceResponse => ({
  id: workspace.id,
  name: workspace.name,
  role,
  created_by: workspace.createdBy,
  document_count: workspace.documents,
  bytes: workspace.bytes,
  created_at: workspace.createdAt.toISOString(),
  updated_at: workspace.updatedAt.toISOString(),
});
