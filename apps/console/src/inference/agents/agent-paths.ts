import { type AgentSessionPath } from './agents.dto';

/** As at the agent service. */
export const AGENT_BODY_LIMIT_BYTES = 2 * 1024 * 1024;

/** Paths of the agent service. */
export const SESSIONS_PATH = '/v1/agents/sessions';

export const pathOfSession = ({ session_id: id }: AgentSessionPath): string =>
  `${SESSIONS_PATH}/${encodeURIComponent(id)}`;

export const pathOfEvents = (path: AgentSessionPath): string => `${pathOfSession(path)}/events`;
