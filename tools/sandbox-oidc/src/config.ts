import { z } from 'zod';

const DEFAULT_PORT = '3091';
const DEFAULT_HOST = '127.0.0.1';
const HIGHEST_PORT = 65_535;

const clients = z.array(
  z.object({
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
    redirect_uris: z.array(z.url()).min(1),
    token_endpoint_auth_method: z.enum(['client_secret_basic', 'client_secret_post']).optional(),
  }),
);

export type SandboxClient = z.input<typeof clients>[number];

/** Where the e-mail address is. OpenID Connect specifies userinfo for the code flow; `id_token` puts it into both. */
export type ClaimsIn = 'userinfo' | 'id_token';

export interface SandboxOidcConfig {
  host: string;
  /** 0 for any free port. */
  port: number;
  clients: SandboxClient[];
  claimsIn: ClaimsIn;
}

const environment = z.object({
  SANDBOX_OIDC_HOST: z.string().min(1).default(DEFAULT_HOST),
  SANDBOX_OIDC_PORT: z
    .string()
    .default(DEFAULT_PORT)
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) <= HIGHEST_PORT,
      `must be from 0 to ${HIGHEST_PORT}`,
    ),
  SANDBOX_OIDC_CLIENTS: z
    .string()
    .default('[]')
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'must be valid JSON' });
        return z.NEVER;
      }
    })
    .pipe(clients),
  SANDBOX_OIDC_CLAIMS_IN: z.enum(['userinfo', 'id_token']).default('userinfo'),
});

/** Options from the environment. Throws one error that names every fault. */
export function readConfig(env: NodeJS.ProcessEnv): SandboxOidcConfig {
  const result = environment.safeParse(env);
  if (!result.success) {
    throw new Error(
      result.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; '),
    );
  }
  return {
    host: result.data.SANDBOX_OIDC_HOST,
    port: Number(result.data.SANDBOX_OIDC_PORT),
    clients: result.data.SANDBOX_OIDC_CLIENTS,
    claimsIn: result.data.SANDBOX_OIDC_CLAIMS_IN,
  };
}
