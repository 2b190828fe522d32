import { env } from '@inference/config';
import { z } from 'zod';

export const CHAT_CONFIG = Symbol('CHAT_CONFIG');

export const chatFields = {
  /** Slug of the model that writes the answers; without it an answer consists of sentences quoted from the documents. */
  CHAT_MODEL: z.string().min(1).max(200).optional(),
  /** Longest answer in tokens; without it as long as the model's. */
  ANSWER_MAX_TOKENS: env.integer(1, 100_000).optional(),
  /** Time in seconds between two comments that keep a silent stream open. */
  HEARTBEAT_SECONDS: env.number(0.05, 60).default(15),
  /** Time in seconds that answers under way may still take when the process is stopped. */
  SHUTDOWN_GRACE_SECONDS: env.number(0, 3600).default(25),
};

/** How questions are answered. */
export interface ChatConfig {
  /** Undefined: answers are extractive. */
  model: string | undefined;
  maxAnswerTokens: number | undefined;
  heartbeatMs: number;
  /** A reader that takes nothing from its stream for this long is disconnected. */
  clientStallTimeoutMs: number;
  shutdownGraceMs: number;
}

type ChatFields = z.output<z.ZodObject<typeof chatFields>> & { CLIENT_STALL_TIMEOUT_SECONDS: number };

export const chatConfig = (config: ChatFields): ChatConfig => ({
  model: config.CHAT_MODEL,
  maxAnswerTokens: config.ANSWER_MAX_TOKENS,
  heartbeatMs: config.HEARTBEAT_SECONDS * 1000,
  clientStallTimeoutMs: config.CLIENT_STALL_TIMEOUT_SECONDS * 1000,
  shutdownGraceMs: config.SHUTDOWN_GRACE_SECONDS * 1000,
});
