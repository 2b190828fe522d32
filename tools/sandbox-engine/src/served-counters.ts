/** The counters of the engine, in the format of `GET /_sandbox/served`. */
export interface ServedFigures {
  /** Requests to a model endpoint whose body was received completely, whatever their answer. */
  requests: number;
  /** Prompt tokens of every answer of which at least one token, or the end, was written. */
  prompt_tokens: number;
  /** Tokens that were written. A stream counts each token; other answers count when they are written completely. */
  completion_tokens: number;
  /** Requests whose answer was cut off by the client or by a behaviour, or was never sent. */
  aborted: number;
}

export class ServedCounters {
  private figures: ServedFigures = zero();

  countRequest(): void {
    this.figures.requests += 1;
  }

  countPrompt(tokens: number): void {
    this.figures.prompt_tokens += tokens;
  }

  countCompletion(tokens: number): void {
    this.figures.completion_tokens += tokens;
  }

  countAborted(): void {
    this.figures.aborted += 1;
  }

  snapshot(): ServedFigures {
    return { ...this.figures };
  }

  reset(): void {
    this.figures = zero();
  }
}

function zero(): ServedFigures {
  return { requests: 0, prompt_tokens: 0, completion_tokens: 0, aborted: 0 };
}
