interface NextPage {
  /** Path of the page that asked for the sign-in. */
  next?: string;
}

/** Reads `?next=`. Only a path of these pages is accepted, never another host. */
export function nextPageIn({ next }: Record<string, unknown>): NextPage {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}
