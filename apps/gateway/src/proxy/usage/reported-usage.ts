import { inputTokensOf, type MeterCounts, outputTokensOf, type UsageFault } from '@inference/metering';

type Fields = Record<string, unknown>;

/** What an upstream reports of a call, in disjoint counts. */
export interface ReportedUsage {
  /** Tokens of the prompt. Null: not reported. */
  input: MeterCounts | null;
  /** Tokens of the answer. Null: not reported. */
  output: MeterCounts | null;
  /** What is counted beside tokens. */
  others: MeterCounts;
  /** Null: the usual one. */
  serviceTier: string | null;
  fault: UsageFault | null;
}

/** More than any call has. A sum of all figures of a report is still exact. */
const MAX_COUNT = 1e12;

/** What upstreams call the tier of ordinary calls. */
const USUAL_TIERS = new Set(['default', 'standard', 'on_demand', 'auto']);
const TIER = /^[a-z_]{1,32}$/;

const NONE: Fields = {};
const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' ? (value as Fields) : NONE;

/** The service tier that an upstream names; null for the usual one. */
function readServiceTier(tier: unknown): string | null {
  return typeof tier === 'string' && TIER.test(tier) && !USUAL_TIERS.has(tier) ? tier : null;
}

/** The usage object of an answer or of a chunk: at the top, in the first choice (Moonshot), or in `x_groq`. */
export function usageIn(answer: object): unknown {
  const { usage, choices, x_groq: groq } = answer as Fields;
  if (usage !== undefined && usage !== null) return usage;
  const ofChoice = Array.isArray(choices) ? fieldsOf(choices[0]).usage : undefined;
  return ofChoice ?? fieldsOf(groq).usage ?? usage;
}

/**
 * Reads the usage of an answer in every shape that upstreams write it in, and the service tier. Returns null if there is no usage. Never
 * throws: what is no count is not counted, and of figures that contradict each other the larger one counts. A reported zero is kept.
 */
export function readReportedUsage(answer: object): ReportedUsage | null {
  const usage = usageIn(answer);
  if (usage === null || typeof usage !== 'object') return null;
  const reader = new UsageReader(usage as Fields, answer as Fields);
  return reader.read();
}

/** Tokens that were read from a cache, and written to it for five minutes or an hour. */
interface CacheTokens {
  read: number;
  write: number;
  write1h: number;
}

const tokensOfCache = ({ read, write, write1h }: CacheTokens) => read + write + write1h;

class UsageReader {
  private fault: UsageFault | null = null;
  private readonly promptDetails: Fields;
  private readonly answerDetails: Fields;

  constructor(
    private readonly usage: Fields,
    private readonly answer: Fields,
  ) {
    this.promptDetails = fieldsOf(
      usage.prompt_tokens_details ?? usage.input_tokens_details ?? usage.input_token_details,
    );
    this.answerDetails = fieldsOf(
      usage.completion_tokens_details ?? usage.output_tokens_details ?? usage.output_token_details,
    );
  }

  read(): ReportedUsage | null {
    const { usage } = this;
    const cache = this.readCache();
    const reasoning = this.count(this.answerDetails.reasoning_tokens, usage.reasoning_tokens) ?? 0;
    const seconds = this.readSeconds();
    let prompt = this.readPrompt(cache);
    let completion = this.count(usage.completion_tokens, usage.output_tokens);
    let audio = this.count(this.promptDetails.audio_tokens) ?? 0;
    let thought = reasoning;
    const total = this.count(usage.total_tokens);
    if (total !== undefined) {
      if (prompt === undefined && completion !== undefined && total > completion) prompt = total - completion;
      else if (completion === undefined && prompt !== undefined && total > prompt)
        completion = total - prompt;
      else if (prompt !== undefined && completion !== undefined) {
        const excess = total - prompt - completion;
        if (excess < 0 && !this.totalLeavesOut(cache, excess)) this.report('total_below_parts');
        if (excess > 0 && seconds > 0) {
          // Mistral counts the tokens of audio in the total only.
          prompt += excess;
          audio += excess;
        } else if (excess > 0 && excess === tokensOfCache(cache)) prompt += excess;
        else if (excess > 0) {
          // Some count reasoning in the total only; Gemini does not even name it.
          completion += excess;
          if (excess > reasoning) this.report('total_above_parts');
          thought = Math.max(reasoning, excess);
        }
      }
    }
    const others = this.readOthers(seconds);
    const input = prompt === undefined ? null : this.inputOf(prompt, cache, audio);
    const output = completion === undefined ? null : this.outputOf(completion, thought);
    const { fault } = this;
    if (!input && !output && !fault && Object.keys(others).length === 0) return null;
    const serviceTier = readServiceTier(usage.service_tier ?? this.answer.service_tier);
    return { input, output, others, serviceTier, fault };
  }

  private readCache(): CacheTokens {
    const { usage, promptDetails, answer } = this;
    const read =
      this.count(
        promptDetails.cached_tokens,
        usage.prompt_cache_hit_tokens,
        usage.cache_read_input_tokens,
        usage.cached_tokens,
        usage.num_cached_tokens,
        fieldsOf(answer.timings).cache_n,
      ) ?? 0;
    const { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: hour } = fieldsOf(
      usage.cache_creation,
    );
    const write1h = this.count(hour) ?? 0;
    const write5m = this.count(minutes) ?? 0;
    const written = this.count(
      usage.cache_creation_input_tokens,
      promptDetails.cache_write_tokens,
      promptDetails.cache_creation_tokens,
    );
    if (written !== undefined && written < write1h + write5m) this.report('parts_above_whole');
    return { read, write: Math.max((written ?? 0) - write1h, write5m), write1h };
  }

  /** All tokens of the prompt, also those of the cache. */
  private readPrompt(cache: CacheTokens): number | undefined {
    const { usage } = this;
    const prompt = this.count(usage.prompt_tokens, usage.input_tokens);
    if (this.isWithoutCache) return prompt === undefined ? undefined : prompt + tokensOfCache(cache);
    const hit = this.count(usage.prompt_cache_hit_tokens);
    const miss = this.count(usage.prompt_cache_miss_tokens);
    if (hit === undefined || miss === undefined) return prompt;
    if (prompt !== undefined && hit + miss > prompt) this.report('parts_above_whole');
    return Math.max(prompt ?? 0, hit + miss);
  }

  /** Anthropic's `input_tokens` leave out what was read from the cache and written to it. */
  private get isWithoutCache(): boolean {
    const { usage } = this;
    return (
      usage.prompt_tokens === undefined &&
      this.promptDetails === NONE &&
      (usage.cache_read_input_tokens !== undefined ||
        usage.cache_creation_input_tokens !== undefined ||
        usage.cache_creation !== undefined)
    );
  }

  /** Whether a total is short by what `input_tokens` leave out, too. */
  private totalLeavesOut(cache: CacheTokens, excess: number): boolean {
    return this.isWithoutCache && excess === -tokensOfCache(cache);
  }

  private inputOf(prompt: number, cache: CacheTokens, audio: number): MeterCounts {
    const ofCache = tokensOfCache(cache);
    const whole = Math.max(prompt, ofCache, audio);
    if (whole > prompt) this.report('parts_above_whole');
    // Audio that was read from the cache is in both figures.
    const heard = Math.min(audio, whole - ofCache);
    return counted({
      input: whole - ofCache - heard,
      cached_input: cache.read,
      cache_write: cache.write,
      cache_write_1h: cache.write1h,
      input_audio: heard,
    });
  }

  private outputOf(completion: number, reasoning: number): MeterCounts {
    const audio = this.count(this.answerDetails.audio_tokens) ?? 0;
    const whole = Math.max(completion, reasoning, audio);
    if (whole > completion) this.report('parts_above_whole');
    const spoken = Math.min(audio, whole - reasoning);
    return counted({ output: whole - reasoning - spoken, reasoning, output_audio: spoken });
  }

  private readSeconds(): number {
    const { usage } = this;
    const seconds = usage.type === 'duration' ? usage.seconds : usage.prompt_audio_seconds;
    // Mistral writes an empty object where there is no audio.
    if (seconds === undefined || seconds === null || typeof seconds === 'object') return 0;
    if (typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_COUNT) return Math.ceil(seconds);
    this.report('invalid_count');
    return 0;
  }

  private readOthers(seconds: number): MeterCounts {
    const { usage } = this;
    const search =
      this.count(fieldsOf(usage.server_tool_use).web_search_requests, usage.num_search_queries) ?? 0;
    return seconds + search === 0 ? NO_COUNTS : counted({ audio_second: seconds, search });
  }

  /** The first of these figures that is given. */
  private count(...values: unknown[]): number | undefined {
    for (const value of values) {
      if (value === undefined || value === null) continue;
      if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT)
        return value as number;
      this.report('invalid_count');
    }
    return undefined;
  }

  /** The first fault is the one that is stored. */
  private report(fault: UsageFault): void {
    this.fault ??= fault;
  }
}

const NO_COUNTS: MeterCounts = {};

/** Leaves out what counted nothing. */
function counted(counts: Record<string, number>): MeterCounts {
  const positive: Record<string, number> = {};
  for (const meter in counts) {
    const count = counts[meter]!;
    if (count > 0) positive[meter] = count;
  }
  return positive;
}

/**
 * What two reports of one answer say together. The later one counts, but zeros and what it leaves out do not replace figures: some
 * servers send placeholders before and behind them.
 */
export function laterUsage(former: ReportedUsage | null, latter: ReportedUsage): ReportedUsage {
  if (!former) return latter;
  const hasInput = latter.input !== null && inputTokensOf(latter.input) > 0;
  const hasOutput = latter.output !== null && outputTokensOf(latter.output) > 0;
  return {
    input: hasInput ? latter.input : (former.input ?? latter.input),
    output: hasOutput ? latter.output : (former.output ?? latter.output),
    others: { ...former.others, ...latter.others },
    serviceTier: latter.serviceTier ?? former.serviceTier,
    fault: hasInput || hasOutput ? latter.fault : (former.fault ?? latter.fault),
  };
}
