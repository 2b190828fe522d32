import { z } from 'zod';

const DEFAULT_PORT = '3093';
const DEFAULT_HOST = '127.0.0.1';
const HIGHEST_PORT = 65_535;

export interface SandboxCodeHostConfig {
  host: string;
  /** 0 for any free port. */
  port: number;
  /** The token that every call of the API must contain; null if none is required. */
  token: string | null;
  /** Whether it starts with a release of each component. */
  samples: boolean;
}

const environment = z.object({
  SANDBOX_CODE_HOST_HOST: z.string().min(1).default(DEFAULT_HOST),
  SANDBOX_CODE_HOST_PORT: z
    .string()
    .default(DEFAULT_PORT)
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) <= HIGHEST_PORT,
      `must be from 0 to ${HIGHEST_PORT}`,
    ),
  SANDBOX_CODE_HOST_TOKEN: z.string().min(1).optional(),
  SANDBOX_CODE_HOST_SAMPLES: z.enum(['true', 'false']).default('false'),
});

/** Options from the environment. Throws one error that names every fault. */
export function readConfig(env: NodeJS.ProcessEnv): SandboxCodeHostConfig {
  const result = environment.safeParse(env);
  if (!result.success) {
    throw new Error(
      result.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; '),
    );
  }
  return {
    host: result.data.SANDBOX_CODE_HOST_HOST,
    port: Number(result.data.SANDBOX_CODE_HOST_PORT),
    token: result.data.SANDBOX_CODE_HOST_TOKEN ?? null,
    samples: result.data.SANDBOX_CODE_HOST_SAMPLES === 'true',
  };
}
