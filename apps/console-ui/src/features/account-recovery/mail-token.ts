/** Reads the token of a mail from the fragment of the address: `#token=…`. Undefined without one. */
export function mailTokenIn(fragment: string): string | undefined {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('token')?.trim() || undefined;
}
