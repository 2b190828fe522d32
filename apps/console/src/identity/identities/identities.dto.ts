/** An account of a provider that is linked to an account here. */
export interface IdentityView {
  id: string;
  /** Name of the provider here; null if this site does not offer it any more. */
  provider: string | null;
  issuer: string;
  /** Address that the provider named when the identity was linked. */
  email: string | null;
  /** ISO 8601. */
  created_at: string;
}
