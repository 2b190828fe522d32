import { createContext, use, useSyncExternalStore } from 'react';
import { forgetAccounts } from './account-storage';
import { apiErrorOf, connectionError } from './api-error';

/** Resolves once the browser says that it is online again, or after a pause: not every loss is noticed by it. */
export const connectionOrPause = (pauseMillis: number): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      window.removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, pauseMillis);
    window.addEventListener('online', go);
  });

/** What all tabs and later visits know of the session at once, in the storage of the browser. It holds no credential. */
const SIGNED_IN = 'session';
const GRANTED_AT = 'session-granted-at';
/** There while the console does not know that the owner has signed out. */
const SIGN_OUT_DUE = 'session-sign-out-due';
/** How soon the console is told again of a sign-out if the browser does not say that the connection is back. */
const SIGN_OUT_RETRY_MILLIS = 10_000;

/** Undefined if the storage is switched off. */
function read(name: string): string | null | undefined {
  try {
    return localStorage.getItem(name);
  } catch {
    return undefined;
  }
}

/** How the last visit stands: signed in, signed out, or its session has run out. */
type SignedIn = 'yes' | 'no' | 'ended';

const sessionMarks = {
  /** Null if no visit signed in yet, undefined if it is not known. */
  signedIn: () => read(SIGNED_IN) as SignedIn | null | undefined,
  /** When any tab got the newest token; 0 if none did. */
  grantedAtMillis: (): number => Number(read(GRANTED_AT) ?? 0),
  isSignOutDue: (): boolean => read(SIGN_OUT_DUE) === 'yes',
  setSignOutDue(isDue: boolean): void {
    try {
      if (isDue) localStorage.setItem(SIGN_OUT_DUE, 'yes');
      else localStorage.removeItem(SIGN_OUT_DUE);
    } catch {
      // Storage is switched off.
    }
  },
  set(signedIn: SignedIn, grantedAtMillis?: number): void {
    try {
      localStorage.setItem(SIGNED_IN, signedIn);
      if (grantedAtMillis !== undefined) localStorage.setItem(GRANTED_AT, String(grantedAtMillis));
    } catch {
      // Storage is switched off.
    }
  },
};

/** `ended`: it ran out or was revoked. `signed-out`: its owner ended it. */
type Message = { kind: 'granted'; grant: Grant } | { kind: 'ended' | 'signed-out' };

/** What the tabs of one browser tell each other about the session. */
class SessionChannel {
  private channel: BroadcastChannel | undefined;

  listen(onMessage: (message: Message) => void): void {
    this.channel = new BroadcastChannel('session');
    this.channel.addEventListener('message', ({ data }: MessageEvent<Message>) => onMessage(data));
  }

  tellGranted(grant: Grant): void {
    this.channel?.postMessage({ kind: 'granted', grant } satisfies Message);
  }

  tell(kind: 'ended' | 'signed-out'): void {
    this.channel?.postMessage({ kind } satisfies Message);
  }
}

/**
 * - `starting`: it is not yet known whether there is a session
 * - `ended`: it ran out while pages were in use; they stay, and ask for a new sign-in of the same account
 */
export type SessionState =
  | { status: 'starting' | 'signed-out' }
  | { status: 'signed-in' | 'ended'; user: Grant['user'] };

/** A token is renewed this long before it ends. */
const RENEWAL_LEAD_MILLIS = 60_000;
/** Keeps a wrong clock from asking without a pause. */
const MIN_DELAY_MILLIS = 10_000;
/** A longer delay of `setTimeout` overflows. */
const MAX_DELAY_MILLIS = 2 ** 31 - 1;
/** How long after another tab got a token its message may arrive. */
const HANDOVER_MILLIS = 1_000;

/**
 * The session of this browser. The access token lives in memory; an HttpOnly cookie, which only the console reads, renews it.
 * Of all tabs one renews at a time and hands the token to the others. A document serves one account: when the browser gets a
 * session of another one, what is known of the first is dropped and the page is loaded anew.
 */
export class Session {
  private grant: Grant | undefined;
  /** Whose pages this document has shown. */
  private user: Grant['user'] | undefined;
  private grantedAtMillis = 0;
  /** Counts sign-ins and sign-outs: the answer to a refresh that began before one of them says nothing. */
  private changes = 0;
  private signOutIsPending = false;
  private timer: number | undefined;
  private renewal: Promise<string | undefined> | undefined;
  private readonly channel = new SessionChannel();
  private readonly listeners = new Set<() => void>();

  /** `state`: `signed-out` where the pages are rendered for visitors, without a browser. */
  constructor(
    private readonly apiUrl: string,
    private state: SessionState = { status: 'starting' },
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): SessionState => this.state;

  get token(): string | undefined {
    return this.grant?.token;
  }

  /** Continues the session of an earlier visit, if there is one. Throws an ApiError if the console cannot be asked. */
  async start(): Promise<void> {
    this.listen();
    const signedIn = sessionMarks.signedIn();
    if (sessionMarks.isSignOutDue()) void this.finishSignOut(undefined);
    if (signedIn === 'ended') return this.change({ status: 'signed-out' });
    if (signedIn === 'no' || signedIn === null) return this.forget();
    await this.renew();
  }

  /** Takes over the session that a sign-in opened. */
  open(answer: SessionAnswer): void {
    const grant = grantOf(answer);
    sessionMarks.set('yes', Date.now());
    this.channel.tellGranted(grant);
    this.accept(grant);
  }

  /**
   * Gets a new token, unless one other than `rejected` has arrived meanwhile. Undefined if the session has ended. Throws an
   * ApiError if the console cannot be asked; the session stays then.
   */
  renew(rejected?: string): Promise<string | undefined> {
    const { status } = this.state;
    if (status === 'ended' || (status === 'signed-out' && rejected !== undefined))
      return Promise.resolve(undefined);
    this.renewal ??= this.locked(() => this.renewAlone(rejected)).finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  /** Does what sets or removes the cookie of the session, such as a sign-in, while no tab does such a thing. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.locked(async () => {
      // The end of the former session would remove the cookies of the new one.
      await this.tellSignOut(undefined);
      return work();
    });
  }

  private locked<Result>(work: () => Promise<Result>): Promise<Result> {
    return navigator.locks.request('session-renewal', work);
  }

  /** Whether the console could not be told of a sign-out, and the session goes on there. */
  get isSignOutPending(): boolean {
    return this.signOutIsPending;
  }

  /** Ends the session for all tabs. If the console cannot be reached, the pages are left at once, and it is told later. */
  async signOut(): Promise<void> {
    const { token } = this;
    sessionMarks.set('no');
    sessionMarks.setSignOutDue(true);
    this.channel.tell('signed-out');
    this.forget();
    await this.finishSignOut(token);
  }

  /** Tells the console of a sign-out. Resolves after the first attempt; others follow until it has heard it. */
  private async finishSignOut(token: string | undefined): Promise<void> {
    const isTold = await this.locked(() => this.tellSignOut(token));
    this.setSignOutPending(!isTold);
    if (!isTold) void connectionOrPause(SIGN_OUT_RETRY_MILLIS).then(() => this.finishSignOut(token));
  }

  /** Resolves with false if the console still has to be told. */
  private async tellSignOut(token: string | undefined): Promise<boolean> {
    if (!sessionMarks.isSignOutDue()) return true;
    const isTold = await this.logout(token).catch(() => false);
    if (isTold) sessionMarks.setSignOutDue(false);
    return isTold;
  }

  private async logout(token: string | undefined): Promise<boolean> {
    const post = (path: string, bearer?: string) =>
      fetch(`${this.apiUrl}/api/auth/${path}`, {
        method: 'POST',
        credentials: 'include',
        ...(bearer !== undefined && { headers: { Authorization: `Bearer ${bearer}` } }),
      });
    if (token !== undefined) {
      const { ok, status } = await post('logout', token);
      if (ok || status !== 401) return ok;
    }
    // The token has ended meanwhile; the cookie that renews it may not have.
    const refreshed = await post('refresh');
    if (refreshed.status === 401) return true;
    if (!refreshed.ok) return false;
    const { token: renewed } = (await refreshed.json()) as SessionAnswer;
    return (await post('logout', renewed)).ok;
  }

  private setSignOutPending(isPending: boolean): void {
    this.signOutIsPending = isPending;
    for (const listener of this.listeners) listener();
  }

  private listen(): void {
    this.channel.listen((message) => {
      if (message.kind === 'granted') this.accept(message.grant);
      else if (message.kind === 'ended') this.end();
      else this.forget();
    });
    // Timers stand still while a computer sleeps.
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.resume();
    });
    window.addEventListener('pageshow', () => this.resume());
  }

  private async renewAlone(rejected: string | undefined): Promise<string | undefined> {
    await this.handover();
    const isNewer = this.token !== undefined && rejected !== undefined && this.token !== rejected;
    if (isNewer || (this.grant && rejected === undefined && !this.isDue())) return this.token;
    const { changes } = this;
    const response = await fetch(`${this.apiUrl}/api/auth/refresh`, {
      method: 'POST',
      credentials: 'include',
    }).catch((error: unknown) => {
      throw connectionError(error);
    });
    const body = (await response.json().catch(() => undefined)) as unknown;
    if (changes !== this.changes) return this.token;
    if (response.status === 401) {
      sessionMarks.set('ended');
      this.channel.tell('ended');
      this.end();
      return undefined;
    }
    if (!response.ok) throw apiErrorOf(response, body);
    this.open(body as SessionAnswer);
    return this.token;
  }

  private isDue(): boolean {
    return !this.grant || this.grant.expiresAtMillis - Date.now() <= RENEWAL_LEAD_MILLIS;
  }

  /** Waits for the token that another tab has just got, if one has. */
  private async handover(): Promise<void> {
    const grantedAtMillis = sessionMarks.grantedAtMillis();
    const leftMillis = grantedAtMillis + HANDOVER_MILLIS - Date.now();
    if (grantedAtMillis <= this.grantedAtMillis || leftMillis <= 0) return;
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, Math.min(leftMillis, HANDOVER_MILLIS));
      const stop = this.subscribe(() => {
        stop();
        clearTimeout(timeout);
        resolve();
      });
    });
  }

  private accept(grant: Grant): void {
    if (this.user && this.user.id !== grant.user.id) return this.startAnew(grant.user.id);
    forgetAccounts(grant.user.id);
    this.changes += 1;
    this.user = grant.user;
    this.grant = grant;
    this.grantedAtMillis = Date.now();
    this.schedule();
    this.change({ status: 'signed-in', user: grant.user });
  }

  /** Drops what this document holds of its account, and loads the page for the other one. */
  private startAnew(userId: string): void {
    this.forget(userId);
    // The next document gets a token of its own.
    sessionMarks.set('yes', 0);
    // After the pages have let go of what asks before a page is left.
    setTimeout(() => window.location.reload());
  }

  /** The session has run out. What the account has typed is kept for its next sign-in. */
  private end(): void {
    this.drop();
    this.change(
      this.user && this.state.status !== 'signed-out'
        ? { status: 'ended', user: this.user }
        : { status: 'signed-out' },
    );
  }

  /** `exceptId`: whose kept state is left. */
  private forget(exceptId?: string): void {
    this.changes += 1;
    this.drop();
    forgetAccounts(exceptId);
    this.change({ status: 'signed-out' });
  }

  private drop(): void {
    this.grant = undefined;
    clearTimeout(this.timer);
  }

  /** A page that nobody looked at may have missed a sign-out. */
  private resume(): void {
    if (this.grant && sessionMarks.signedIn() === 'no') this.forget();
    else this.schedule();
  }

  private schedule(): void {
    if (!this.grant) return;
    const due = this.grant.expiresAtMillis - RENEWAL_LEAD_MILLIS - Date.now();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(
      () => void this.renew().catch(() => this.schedule()),
      Math.min(Math.max(due, MIN_DELAY_MILLIS), MAX_DELAY_MILLIS),
    );
  }

  private change(state: SessionState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

/** What a sign-in or a refresh gives: an access token for a while. It is held in memory only. */
interface Grant {
  token: string;
  expiresAtMillis: number;
  user: { id: string; email: string };
}

/** An answer of the console that opens or continues a session. */
interface SessionAnswer {
  token: string;
  user: { id: string; email: string };
  expires_at?: string;
}

/** Without `expires_at` the token itself says when it ends. */
function grantOf({ token, user, expires_at }: SessionAnswer): Grant {
  return { token, user, expiresAtMillis: expires_at ? Date.parse(expires_at) : expiryOf(token) };
}

function expiryOf(token: string): number {
  const [, payload = ''] = token.split('.');
  const { exp } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { exp: number };
  return exp * 1000;
}

const SessionContext = createContext<Session | undefined>(undefined);

export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession needs a SessionProvider');
  return session;
}

/** The id of the account whose pages are shown, also after its session has run out. Undefined on pages without an account. */
export function useAccountId(): string | undefined {
  const state = useSessionState();
  return 'user' in state ? state.user.id : undefined;
}

export function useSessionState(): SessionState {
  const session = useSession();
  return useSyncExternalStore(session.subscribe, session.getState, session.getState);
}
