/** How much a call may use. */
export interface CallSize {
  /** The estimate of the prompt. Asked for only if tokens are limited. */
  promptTokens(): number;
  /** The most that all answers may have. */
  outputTokens: number;
  answers: number;
}

/** Of a model whose answers are not known yet. Chosen: a usual answer of a chat. */
const FIRST_MEAN_TOKENS = 500;
/** Weight of the newest answer in the mean: it follows the last fifty or so. The first ones count alike. */
const NEWEST_WEIGHT = 0.04;
const MOST_MEANS = 1_000;

/** How long the answers of each model were lately. */
export class AnswerMeans {
  private readonly means = new Map<string, { tokens: number; answers: number }>();

  /**
   * What a call uses if its answers are as long as others were lately.
   * @param firstTokens of an answer of a model of which none is known yet
   */
  expectedTokens(
    model: string,
    { promptTokens, outputTokens, answers }: CallSize,
    firstTokens = FIRST_MEAN_TOKENS,
  ): number {
    const mean = this.means.get(model)?.tokens ?? Math.max(firstTokens, FIRST_MEAN_TOKENS);
    return Math.ceil(promptTokens() + Math.min(outputTokens, Math.ceil(mean) * Math.max(1, answers)));
  }

  /** @param outputTokens of all answers of a call */
  learn(model: string, outputTokens: number, answers: number): void {
    let mean = this.means.get(model);
    if (!mean && this.means.size >= MOST_MEANS) this.means.clear();
    if (!mean) this.means.set(model, (mean = { tokens: 0, answers: 0 }));
    const weight = Math.max(NEWEST_WEIGHT, 1 / ++mean.answers);
    mean.tokens += (outputTokens / Math.max(1, answers) - mean.tokens) * weight;
  }
}
