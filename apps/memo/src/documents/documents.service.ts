import { Readable } from 'node:stream';
import { Inject, Injectable, NotFoundException, StreamableFile } from '@nestjs/common';
import { Database, type Sql } from '@inference/database';
import { type Position, readPage } from '@inference/http';
import { type Request, type Response } from 'express';
import { type Member } from '../access/member';
import { DOCUMENT_COLUMNS, DOCUMENT_TABLES, type DocumentRow } from './document';
import {
  type DocumentListResponse,
  type DocumentResponse,
  type DocumentsQuery,
  responseOf,
} from './document.dto';
import { WORKSPACE_LIMITS, type WorkspaceLimits } from './documents.config';
import { checkRoomForDocument, checkRoomForGrowth } from './workspace-quota';
import { SourceFileStore } from './source-files/source-file-store';
import { minimumFileBytes, type Upload, UploadReader } from './uploads/upload-reader';
import { addDocument, documentNotFound, removeDocument, replaceDocument } from './document-versions';

const FIND = `SELECT ${DOCUMENT_COLUMNS} FROM ${DOCUMENT_TABLES} WHERE d.workspace_id = $1 AND d.id = $2`;
const LIST = `
  SELECT ${DOCUMENT_COLUMNS}, json_build_object('at', to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'id', d.id) AS position
  FROM ${DOCUMENT_TABLES} WHERE d.workspace_id = $1 AND ($2::timestamptz IS NULL OR (d.created_at, d.id) < ($2, $3))
    AND ($4::text IS NULL OR v.status = $4) AND ($5::text IS NULL OR d.external_id = $5)
  ORDER BY d.created_at DESC, d.id DESC LIMIT $6`;
/** Chunks per statement while the text is streamed; about half a megabyte. */
const TEXT_PAGE_CHUNKS = 500;
const READ_TEXT = `
  SELECT lead || text AS text FROM memo.chunks
  WHERE document_id = $1 AND version = $2 AND n >= $3 ORDER BY n LIMIT ${TEXT_PAGE_CHUNKS}`;
const VERSION_HEADER = 'X-Document-Version';

@Injectable()
export class DocumentsService {
  constructor(
    private readonly database: Database,
    private readonly uploads: UploadReader,
    private readonly sources: SourceFileStore,
    @Inject(WORKSPACE_LIMITS) private readonly limits: WorkspaceLimits,
  ) {}

  async create(member: Member, request: Request, response: Response): Promise<DocumentResponse> {
    await checkRoomForDocument(this.database, this.limits, member.workspaceId, minimumFileBytes(request));
    const upload = await this.uploads.read(request, response);
    return this.commitUpload(upload, async (sql) => {
      const { id, isNew, changed } = await addDocument(sql, this.limits, member, upload);
      if (!isNew) response.status(200);
      return { document: await findDocument(sql, member, id), changed };
    });
  }

  async replace(member: Member, id: string, request: Request, response: Response): Promise<DocumentResponse> {
    // Existence and limits are checked before a long upload, and again under locks after it.
    const { bytes } = await this.find(member, id);
    const growth = { documents: 0, bytes: minimumFileBytes(request) - bytes };
    await checkRoomForGrowth(this.database, this.limits, member.workspaceId, growth);
    const upload = await this.uploads.read(request, response);
    return this.commitUpload(upload, async (sql) => {
      const changed = await replaceDocument(sql, this.limits, member, id, upload);
      return { document: await findDocument(sql, member, id), changed };
    });
  }

  find(member: Member, id: string): Promise<DocumentResponse> {
    return findDocument(this.database, member, id);
  }

  async list(
    { workspaceId }: Member,
    { status, external_id: externalId, ...query }: DocumentsQuery,
  ): Promise<DocumentListResponse> {
    const read = async (after: Position | null, count: number) => {
      const values = [
        workspaceId,
        after?.at ?? null,
        after?.id ?? null,
        status ?? null,
        externalId ?? null,
        count,
      ];
      return (await this.database.query<DocumentRow & { position: Position }>(LIST, values)).rows;
    };
    const { rows, nextCursor } = await readPage(`documents:${workspaceId}`, query, read);
    return { documents: rows.map(responseOf), next_cursor: nextCursor };
  }

  /** Throws 404 also if no version of the document is served yet. */
  async readText(member: Member, id: string, response: Response): Promise<StreamableFile> {
    const { serving_version: version, chunk_count: chunks } = await this.find(member, id);
    if (version === null) throw new NotFoundException('no text of this document is served yet');
    response.setHeader(VERSION_HEADER, String(version));
    const content = Readable.from(this.textOf(id, version, chunks));
    // A regular end of the response would hide that the rest of the text is missing.
    return new StreamableFile(content, { type: 'text/plain; charset=utf-8' }).setErrorHandler(() =>
      response.destroy(),
    );
  }

  async remove(member: Member, id: string): Promise<void> {
    await this.database.transaction((sql) => removeDocument(sql, member, id));
  }

  private async *textOf(id: string, version: number, chunks: number): AsyncGenerator<string> {
    for (let n = 0; n < chunks; n += TEXT_PAGE_CHUNKS) {
      const { rows } = await this.database.query<{ text: string }>(READ_TEXT, [id, version, n]);
      if (rows.length < Math.min(TEXT_PAGE_CHUNKS, chunks - n))
        throw new Error('This version is not served any more.');
      yield rows.map(({ text }) => text).join('');
    }
  }

  /** Runs the transaction. Removes the stored file if the transaction fails or changes nothing. */
  private async commitUpload(
    { source }: Upload,
    work: (sql: Sql) => Promise<{ document: DocumentResponse; changed: boolean }>,
  ): Promise<DocumentResponse> {
    let isKept = false;
    try {
      const { document, changed } = await this.database.transaction(work);
      isKept = changed;
      return document;
    } finally {
      // If the removal fails, the recovery removes the file later.
      if (!isKept) await this.sources.remove(source.uploadId).catch(() => undefined);
    }
  }
}

async function findDocument(sql: Sql, { workspaceId }: Member, id: string): Promise<DocumentResponse> {
  const { rows } = await sql.query<DocumentRow>(FIND, [workspaceId, id]);
  if (!rows[0]) throw documentNotFound();
  return responseOf(rows[0]);
}
