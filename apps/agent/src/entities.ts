import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { Replica } from './replicas/replica.entity';
import { SessionEvent, StoredToolCall } from './tables/session-event.entity';
import { AgentSession } from './tables/agent-session.entity';
import { Turn, StoredStreamEvent } from './tables/turn.entity';

/** The tables that the service uses, with no column that its database role may not read. */
export const ENTITIES = [
  ...CREDENTIAL_ENTITIES,
  AgentSession,
  Replica,
  SessionEvent,
  StoredStreamEvent,
  StoredToolCall,
  Turn,
];
