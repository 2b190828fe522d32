/** What all tabs and later visits know of the session at once, in the storage of the browser. It holds no credential. */
const SIGNED_IN = 'session';
const GRANTED_AT = 'session-granted-at';

/** Undefined if the storage is switched off. */
function read(name: string): string | null | undefined {
  try {
    return localStorage.getItem(name);
  } catch {
    return undefined;
  }
}

export const sessionMarks = {
  /** False if no visit signed in, or the last one signed out: then asking for a refresh is needless. */
  mayBeSignedIn: (): boolean => [undefined, 'yes'].includes(read(SIGNED_IN) as string | undefined),
  /** When any tab got the newest token; 0 if none did. */
  grantedAtMillis: (): number => Number(read(GRANTED_AT) ?? 0),
  set(isSignedIn: boolean, grantedAtMillis?: number): void {
    try {
      localStorage.setItem(SIGNED_IN, isSignedIn ? 'yes' : 'no');
      if (grantedAtMillis !== undefined) localStorage.setItem(GRANTED_AT, String(grantedAtMillis));
    } catch {
      // Storage is switched off.
    }
  },
};
