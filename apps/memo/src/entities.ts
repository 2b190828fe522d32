import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { MessageCitation } from './chat/citations/citation.entity';
import { Conversation } from './chat/conversations/conversation.entity';
import { Message } from './chat/conversations/message.entity';
import { DocumentVersion } from './documents/document-version.entity';
import { MemoDocument } from './documents/document.entity';
import { SourcePart } from './documents/source-files/source-part.entity';
import { Garbage } from './retrieval/index/storage/garbage.entity';
import { Posting } from './retrieval/index/storage/posting.entity';
import { RetiredChunk } from './retrieval/index/storage/retired-chunk.entity';
import { Segment } from './retrieval/index/storage/segment.entity';
import { Chunk } from './retrieval/search/chunk.entity';
import { ChunkSignature } from './retrieval/vectors/chunk-signature.entity';
import { ChunkVector } from './retrieval/vectors/chunk-vector.entity';
import { WorkspaceUsageChange } from './documents/usage/workspace-usage-change.entity';
import { Invitation } from './workspaces/invitations/invitation.entity';
import { WorkspaceKey } from './workspaces/keys/workspace-key.entity';
import { WorkspaceMember } from './workspaces/members/workspace-member.entity';
import { Workspace } from './workspaces/workspace.entity';

/** The tables that the service uses, with no column that its database role may not read. */
export const ENTITIES = [
  ...CREDENTIAL_ENTITIES,
  Chunk,
  ChunkSignature,
  ChunkVector,
  Conversation,
  DocumentVersion,
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
