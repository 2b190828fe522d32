import { Database } from '@inference/database';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import { WORKSPACE_LIMITS, type WorkspaceLimits } from '../../documents/documents.config';
import { UPLOADS_CONFIG, type UploadsConfig } from '../../documents/uploads/uploads.config';
import { MAX_CHOSEN_DOCUMENTS } from '../../retrieval/search/search.dto';
import { VECTORS_CONFIG, type VectorsConfig } from '../../retrieval/vectors/vectors.config';
import { extensionsOf, MEDIA_TYPES } from '../../tables/media-type';
import { CHAT_CONFIG, type ChatConfig } from '../chat.config';
import { TopicListResponse, WorkspaceOptionsResponse } from './options.dto';
import { topicsOf } from './topics';
import { readBeginnings } from './topics.repository';

/** Chosen: what fits above the field of a question. Some documents begin alike, so more are read. */
const MAX_TOPICS = 4;
const READ_DOCUMENTS = 12;

/** What can be uploaded to a workspace and asked in it. */
@Controller('v1/workspaces/:workspace_id')
@ApiTags('Workspaces')
export class OptionsController {
  constructor(
    private readonly database: Database,
    @Inject(WORKSPACE_LIMITS) private readonly limits: WorkspaceLimits,
    @Inject(UPLOADS_CONFIG) private readonly uploads: UploadsConfig,
    @Inject(VECTORS_CONFIG) private readonly vectors: VectorsConfig,
    @Inject(CHAT_CONFIG) private readonly chat: ChatConfig,
  ) {}

  @Get('options')
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'getWorkspaceOptions',
    summary: 'Returns which files a workspace takes, and which models answer in it.',
  })
  @ApiOkResponse({ description: 'Limits and models.', type: WorkspaceOptionsResponse })
  options(): WorkspaceOptionsResponse {
    return {
      max_document_bytes: this.uploads.maxDocumentBytes,
      max_documents: this.limits.maxDocuments,
      max_bytes: this.limits.maxBytes,
      formats: MEDIA_TYPES.map((mediaType) => ({
        media_type: mediaType,
        extensions: extensionsOf(mediaType),
      })),
      max_chosen_documents: MAX_CHOSEN_DOCUMENTS,
      chat_model: this.chat.model ?? null,
      embedding_model: this.vectors.embeddingModel ?? null,
    };
  }

  @Get('topics')
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'listTopics',
    summary: 'Lists what the newest documents are about, to suggest questions.',
    description: 'These are headings and titles of the documents; no model is called.',
  })
  @ApiOkResponse({ description: 'At most four topics.', type: TopicListResponse })
  async topics(@CurrentMember() { workspaceId }: Member): Promise<TopicListResponse> {
    const documents = await readBeginnings(this.database, workspaceId, READ_DOCUMENTS);
    return { topics: topicsOf(documents, MAX_TOPICS) };
  }
}
