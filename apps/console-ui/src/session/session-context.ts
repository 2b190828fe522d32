import { createContext, use, useSyncExternalStore } from 'react';
import { type Session, type SessionState } from './session';

const SessionContext = createContext<Session | undefined>(undefined);

export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession needs a SessionProvider');
  return session;
}

export function useSessionState(): SessionState {
  const session = useSession();
  return useSyncExternalStore(session.subscribe, session.getState);
}
