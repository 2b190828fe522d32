import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { MessageCitation } from './tables/citation.entity';
import { Conversation } from './tables/conversation.entity';
import { Message } from './tables/message.entity';
import { Feedback } from './tables/feedback.entity';
import { DocumentVersion } from './tables/document-version.entity';
import { MemoDocument } from './tables/document.entity';
import { SourcePart } from './tables/source-part.entity';
import { Garbage } from './tables/garbage.entity';
import { Posting } from './tables/posting.entity';
import { RetiredChunk } from './tables/retired-chunk.entity';
import { Segment } from './tables/segment.entity';
import { Chunk } from './tables/chunk.entity';
import { ChunkSignature } from './tables/chunk-signature.entity';
import { ChunkVector } from './tables/chunk-vector.entity';
import { WorkspaceUsageChange } from './tables/workspace-usage-change.entity';
import { Invitation } from './tables/invitation.entity';
import { WorkspaceKey } from './tables/workspace-key.entity';
import { WorkspaceMember } from './tables/workspace-member.entity';
import { Workspace } from './tables/workspace.entity';

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
