import { Database, ReadDatabase } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { Injectable, NotFoundException } from '@nestjs/common';
import { readAccount } from '../../accounts/accounts.repository';
import { type Actor } from '../../accounts/audit-log/actor';
import { deviceOf } from '../../identity/session-list/session-list.service';
import { listLiveSessions } from '../../identity/session-list/session-list.repository';
import { type TimeRangeQuery } from '../../validation/time-range.dto';
import {
  type CreateNoteDto,
  type CustomerAgentListResponse,
  type CustomerDocumentListResponse,
  type CustomerSessionListResponse,
  type CustomerWorkspaceListResponse,
  type NoteListResponse,
  type NoteResponse,
  type TimelineResponse,
} from './customer-view.dto';
import {
  insertNote,
  listAgents,
  listDocuments,
  listNotes,
  listWorkspaces,
  readTimeline,
} from './customer-view.repository';

/** Of a list without pages. */
const MAX_LISTED = 100;

/** What support sees of a customer. Throws 404 for an unknown account. */
@Injectable()
export class CustomerViewService {
  constructor(
    private readonly database: Database,
    private readonly reads: ReadDatabase,
  ) {}

  async timeline(accountId: string, { from, to, ...query }: TimeRangeQuery): Promise<TimelineResponse> {
    await this.requireAccount(accountId);
    const { rows, nextCursor } = await readPage(
      `timeline ${accountId} ${from} ${to}`,
      query,
      (after, count) =>
        this.reads.read((executor) => readTimeline(executor, accountId, { from, to }, after, count)),
    );
    return {
      entries: rows.map(({ id, at, kind, type, actorId, details }) => ({
        ...{ id, at: at.toISOString(), kind, type },
        actor_id: actorId,
        details,
      })),
      next_cursor: nextCursor,
    };
  }

  async sessions(accountId: string): Promise<CustomerSessionListResponse> {
    await this.requireAccount(accountId);
    const found = await listLiveSessions(this.database, { accountId, sessionId: '' }, MAX_LISTED);
    return {
      sessions: found.map(({ id, userAgent, address, createdAt, usedAt }) => ({
        id,
        device: deviceOf(userAgent),
        ip_address: address,
        created_at: createdAt.toISOString(),
        last_used_at: usedAt.toISOString(),
      })),
    };
  }

  async agents(accountId: string): Promise<CustomerAgentListResponse> {
    await this.requireAccount(accountId);
    const found = await this.reads.read((executor) => listAgents(executor, accountId, MAX_LISTED));
    return {
      agents: found.map(({ publicId, model, apiKeyId, turns, createdAt }) => ({
        ...{ id: publicId, model, api_key_id: apiKeyId, turns },
        created_at: createdAt.toISOString(),
      })),
    };
  }

  async workspaces(accountId: string): Promise<CustomerWorkspaceListResponse> {
    await this.requireAccount(accountId);
    const found = await this.reads.read((executor) => listWorkspaces(executor, accountId, MAX_LISTED));
    return {
      workspaces: found.map(({ id, name, role, isCreator, memberSince }) => ({
        ...{ id, name, role, is_creator: isCreator },
        member_since: memberSince.toISOString(),
      })),
    };
  }

  async documents(accountId: string, query: PageQuery): Promise<CustomerDocumentListResponse> {
    await this.requireAccount(accountId);
    const { rows, nextCursor } = await readPage(`documents ${accountId}`, query, (after, count) =>
      this.reads.read((executor) => listDocuments(executor, accountId, after, count)),
    );
    return {
      documents: rows.map(({ document, createdAt, updatedAt }) => ({
        ...document,
        created_at: createdAt.toISOString(),
        updated_at: updatedAt.toISOString(),
      })),
      next_cursor: nextCursor,
    };
  }

  async notes(accountId: string, query: PageQuery): Promise<NoteListResponse> {
    await this.requireAccount(accountId);
    const { rows, nextCursor } = await readPage(`notes ${accountId}`, query, (after, count) =>
      listNotes(this.database, accountId, after, count),
    );
    return {
      notes: rows.map(({ id, text, authorId, author, createdAt }) => ({
        ...{ id, text, author_id: authorId, author_email: author.email },
        created_at: createdAt.toISOString(),
      })),
      next_cursor: nextCursor,
    };
  }

  async addNote(staff: Actor, accountId: string, { text }: CreateNoteDto): Promise<NoteResponse> {
    await this.requireAccount(accountId);
    const author = (await readAccount(this.database, staff.accountId))!;
    const note = await insertNote(this.database, { accountId, authorId: author.id, text });
    return {
      ...{ id: note.id, text, author_id: author.id, author_email: author.email },
      created_at: note.createdAt.toISOString(),
    };
  }

  private async requireAccount(id: string): Promise<void> {
    if (!(await readAccount(this.database, id))) throw new NotFoundException('no such account');
  }
}
