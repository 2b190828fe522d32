import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { Conversation, Feedback, Message, MessageCitation } from './tables/conversation.entity';
import { DocumentVersion, SourcePart } from './tables/document-version.entity';
import { MemoDocument } from './tables/document.entity';
import { Garbage, RetiredChunk } from './tables/garbage.entity';
import { Posting, Segment } from './tables/segment.entity';
import { Chunk, ChunkSignature, ChunkVector } from './tables/chunk.entity';
import {
  Invitation,
  Workspace,
  WorkspaceKey,
  WorkspaceMember,
  WorkspaceUsageChange,
} from './tables/workspace.entity';

/** The tables that the service uses, with no column that its database role may not read. */
export const ENTITIES = [
  ...CREDENTIAL_ENTITIES,
  Chunk,
  ChunkSignature,
  ChunkVector,
  Conversation,
  DocumentVersion,
  Feedback,
  Garbage,
  Invitation,
  MemoDocument,
  Message,
  MessageCitation,
  Posting,
  RetiredChunk,
  Segment,
  SourcePart,
  Workspace,
  WorkspaceKey,
  WorkspaceMember,
  WorkspaceUsageChange,
];
