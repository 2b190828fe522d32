import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { Replica } from './replicas/replica.entity';
import { SessionEvent } from './session-log/session-event.entity';
import { AgentSession } from './sessions/agent-session.entity';
import { StoredStreamEvent } from './streams/stream-event.entity';
import { StoredToolCall } from './tool-calls/tool-call.entity';
import { Turn } from './turns/turn.entity';

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
