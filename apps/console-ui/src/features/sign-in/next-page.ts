interface NextPage {
  /** Path of the page that asked for the sign-in. */
  next?: string;
}

/** Reads `?next=`. Only a path of these pages is accepted, never another host. */
export function nextPageIn({ next }: Record<string, unknown>): NextPage {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}

/** The page that asked for a sign-in through a provider, which comes back in the fragment as `return_to`. */
export const nextPageInFragment = (fragment: string): string | undefined =>
  nextPageIn({ next: new URLSearchParams(fragment.replace(/^#/, '')).get('return_to') }).next;
