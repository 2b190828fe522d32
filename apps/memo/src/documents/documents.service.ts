import { Readable } from 'node:stream';
import { Database, type Executor, isDatabaseUnavailable, type Transaction } from '@inference/database';
import { readPage } from '@inference/http';
import { Inject, Injectable, Logger, NotFoundException, StreamableFile } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type Member } from '../access/member';
import { addBatchJob, waitsForBatch } from '../jobs/document-jobs.repository';
import {
  addDocument,
  addNewDocuments,
  documentNotFound,
  removeDocument,
  replaceDocument,
  retryDocument,
} from './document-versions';
import { readChunks } from './document-versions.repository';
import {
  type DocumentListResponse,
  type DocumentResponse,
  type DocumentsQuery,
  fileOf,
  responseOf,
} from './document.dto';
import { WORKSPACE_LIMITS, type WorkspaceLimits } from './documents.config';
import { type DocumentWithVersions, findDocument, listDocuments } from './documents.repository';
import { SourceFileStore } from './source-files/source-file-store';
import { minimumFileBytes, type Upload, UploadReader } from './uploads/upload-reader';
import { checkRoomForDocument, checkRoomForGrowth } from './usage/workspace-quota';

/** Most uploads in one transaction. Twice as many make the first one wait longer; half take twice the transactions. */
const MAX_GROUP = 64;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs work for items of the same key together: while a group is under way, the items that arrive form the next one. A lock
 * that all of them need is then taken and committed once for each group, not once for each item.
 */
export class Groups<Item, Result> {
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();

  /**
   * @param work returns a result for each item
   * @param isUndone whether nothing was done before an error of `work`: then the items are tried again one by one
   */
  constructor(
    private readonly work: (items: Item[]) => Promise<Result[]>,
    private readonly isUndone: (error: unknown) => boolean,
  ) {}

  run(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const others = this.waiting.get(key);
      const own = { item, resolve, reject };
      if (others) others.push(own);
      else {
        this.waiting.set(key, [own]);
        void this.runAll(key);
      }
    });
  }

  private async runAll(key: string): Promise<void> {
    const waiting = this.waiting.get(key)!;
    while (waiting.length > 0) await this.runGroup(waiting.splice(0, MAX_GROUP));
    this.waiting.delete(key);
  }

  private async runGroup(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.work(group.map(({ item }) => item));
      group.forEach(({ resolve }, i) => resolve(results[i]!));
    } catch (error) {
      if (group.length > 1 && this.isUndone(error)) for (const one of group) await this.runGroup([one]);
      else for (const { reject } of group) reject(error);
    }
  }
}

/** Chunks per statement while the text is streamed; about half a megabyte. */
const TEXT_PAGE_CHUNKS = 500;
const VERSION_HEADER = 'X-Document-Version';

interface Addition {
  member: Member;
  upload: Upload;
}

/** Uploads with the same key have the same caller, so they need the same locks and have the same role. */
const keyOf = ({ workspaceId, accountId, keyId }: Member) => `${workspaceId} ${accountId} ${keyId}`;

@Injectable()
export class DocumentsService {
  private readonly logger = new Logger(DocumentsService.name);
  private readonly additions = new Groups(
    (group: Addition[]) => this.addAll(group),
    // A connection may break after the commit. A second attempt would then add the documents twice.
    (error) => !isDatabaseUnavailable(error),
  );

  constructor(
    private readonly database: Database,
    private readonly uploads: UploadReader,
    private readonly sources: SourceFileStore,
    @Inject(WORKSPACE_LIMITS) private readonly limits: WorkspaceLimits,
  ) {}

  async create(member: Member, request: Request, response: Response): Promise<DocumentResponse> {
    // The limits are checked before a body that has not arrived, and under locks after it.
    if (!request.complete)
      await checkRoomForDocument(this.database, this.limits, member.workspaceId, minimumFileBytes(request));
    return this.uploads.read(request, response, async (upload) => {
      const added = upload.source.content
        ? await this.additions.run(keyOf(member), { member, upload })
        : null;
      if (added) return responseOf(added);
      return this.commitUpload(member, upload, async (transaction) => {
        const { id, isNew, changed } = await addDocument(transaction, this.limits, member, upload);
        if (!isNew) response.status(200);
        return { document: await find(transaction, member, id), changed };
      });
    });
  }

  async replace(member: Member, id: string, request: Request, response: Response): Promise<DocumentResponse> {
    // Existence and limits are checked before a long upload, and again under locks after it.
    const { bytes } = await this.find(member, id);
    const growth = { documents: 0, bytes: minimumFileBytes(request) - bytes };
    await checkRoomForGrowth(this.database, this.limits, member.workspaceId, growth);
    return this.uploads.read(request, response, (upload) =>
      this.commitUpload(member, upload, async (transaction) => {
        const changed = await replaceDocument(transaction, this.limits, member, id, upload);
        return { document: await find(transaction, member, id), changed };
      }),
    );
  }

  find(member: Member, id: string): Promise<DocumentResponse> {
    return find(this.database, member, id);
  }

  async list(
    { workspaceId }: Member,
    { status, title, external_id: externalId, ...query }: DocumentsQuery,
  ): Promise<DocumentListResponse> {
    const filter = { status, title, externalId };
    const { rows, nextCursor } = await readPage(`documents:${workspaceId}`, query, (after, count) =>
      listDocuments(this.database, workspaceId, filter, after, count),
    );
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

  /** The file of the served version. Throws 404 also if it is not stored. */
  async readFile({ workspaceId }: Member, id: string, response: Response): Promise<StreamableFile> {
    const found = await findDocument(this.database, workspaceId, id);
    if (!found) throw documentNotFound();
    const file = fileOf(found.serving);
    if (!file) throw new NotFoundException('the file of this document is not stored');
    response.setHeader(VERSION_HEADER, String(file.version));
    // What people have uploaded is never shown as a page of this origin.
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const content = Readable.from(this.sources.stream(file.uploadId, file.bytes));
    return new StreamableFile(content, {
      type: file.mediaType,
      length: file.bytes,
      disposition: 'attachment',
    }).setErrorHandler(() => response.destroy());
  }

  async retry(member: Member, id: string): Promise<DocumentResponse> {
    return this.database.transaction(async (transaction) => {
      await retryDocument(transaction, member, id);
      return find(transaction, member, id);
    });
  }

  async remove(member: Member, id: string): Promise<void> {
    await this.database.transaction((transaction) => removeDocument(transaction, member, id));
  }

  private async *textOf(id: string, version: number, chunks: number): AsyncGenerator<string> {
    for (let n = 0; n < chunks; n += TEXT_PAGE_CHUNKS) {
      const page = await readChunks(this.database, { documentId: id, version }, n, TEXT_PAGE_CHUNKS);
      if (page.length < Math.min(TEXT_PAGE_CHUNKS, chunks - n))
        throw new Error('This version is not served any more.');
      yield page.map(({ lead, text }) => lead + text).join('');
    }
  }

  /** Adds new documents of one member. Null for those whose `external_id` is taken. */
  private async addAll(group: Addition[]): Promise<(DocumentWithVersions | null)[]> {
    const { member } = group[0]!;
    const uploads = group.map(({ upload }) => upload);
    const added = await this.database.transaction((transaction) =>
      addNewDocuments(transaction, this.limits, member, uploads),
    );
    await this.queueBatch(
      member,
      uploads.filter((_, i) => added[i]),
    );
    return added;
  }

  /** Runs the transaction. Removes the stored file if the transaction fails or changes nothing. */
  private async commitUpload(
    member: Member,
    upload: Upload,
    work: (transaction: Transaction) => Promise<{ document: DocumentResponse; changed: boolean }>,
  ): Promise<DocumentResponse> {
    let isKept = false;
    try {
      const { document, changed } = await this.database.transaction(work);
      isKept = changed;
      if (changed) await this.queueBatch(member, [upload]);
      return document;
    } finally {
      // If the removal fails, the recovery removes the file later.
      if (!isKept) await this.sources.discard(upload.source).catch(() => undefined);
    }
  }

  /** Queues committed uploads that wait for a batch. They are added whether this succeeds or not. */
  private async queueBatch({ workspaceId }: Member, uploads: readonly Upload[]): Promise<void> {
    if (!uploads.some(({ source: { bytes }, mediaType }) => waitsForBatch({ bytes, mediaType, attempts: 0 })))
      return;
    await addBatchJob(this.database, workspaceId).catch((error: Error) =>
      this.logger.warn(`The recovery queues short documents later: ${error.message}`),
    );
  }
}

async function find(executor: Executor, { workspaceId }: Member, id: string): Promise<DocumentResponse> {
  const found = await findDocument(executor, workspaceId, id);
  if (!found) throw documentNotFound();
  return responseOf(found);
}
