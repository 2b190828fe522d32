import { type Price, worstCasePicos } from '@inference/metering';
import { type Bounds, withAnswersOf } from '../request/token-bounds';

/** Part of the free money that one request without a limit may reserve, so that others run beside it. Specified (design, section 15). */
const SHARE = 4n;
/** Tokens that an answer may have although they take more than that share. Specified. */
const ENOUGH_TOKENS = 4_096;
/** A shorter answer is of no use, and the request is refused. Specified; the least that OpenAI's Responses take. */
const LEAST_TOKENS = 16;

/** How long the answers of a request may be that names no limit. */
export class OutputLimit {
  /** What the model can give. */
  readonly most: number;
  /** Fewer are refused. */
  readonly least: number;
  /** What is worth asking the database for, whatever a former reading says. */
  readonly enough: number;
  private readonly wholePicos: bigint;

  /** @param servings the model that is called and its fallbacks, any of which may answer */
  constructor(private readonly servings: readonly { rates: readonly Price[]; bounds: Bounds }[]) {
    this.most = Math.max(...servings.map(({ bounds }) => bounds.answerTokens));
    this.least = Math.min(LEAST_TOKENS, this.most);
    this.enough = Math.min(ENOUGH_TOKENS, this.most);
    this.wholePicos = this.dearestPicos(this.most);
  }

  /** The most that the request costs with answers of this length. */
  costPicos(tokens: number): bigint {
    if (tokens === this.most) return this.wholePicos;
    return this.dearestPicos(tokens);
  }

  private dearestPicos(tokens: number): bigint {
    let dearest = 0n;
    for (const { rates, bounds } of this.servings) {
      const picos = worstCasePicos(
        rates,
        tokens >= bounds.answerTokens ? bounds : withAnswersOf(bounds, tokens),
      );
      if (picos > dearest) dearest = picos;
    }
    return dearest;
  }

  /** Free money that is surely enough for answers without a limit. */
  get unlimitedPicos(): bigint {
    return this.wholePicos * SHARE;
  }

  /** The limit that so much free money leaves; `most` if none is necessary. */
  within(freePicos: bigint): number {
    if (this.unlimitedPicos <= freePicos) return this.most;
    return Math.max(this.affordable(freePicos / SHARE), Math.min(this.enough, this.affordable(freePicos)));
  }

  /** The longest answers that cost so much at most; 0 if even one token is too dear. */
  affordable(picos: bigint): number {
    let [covered, tooMany] = [0, this.most + 1];
    while (tooMany - covered > 1) {
      const middle = Math.floor((covered + tooMany) / 2);
      if (this.costPicos(middle) <= picos) covered = middle;
      else tooMany = middle;
    }
    return covered;
  }
}
