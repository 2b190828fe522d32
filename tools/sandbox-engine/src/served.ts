/** What the engine has really produced, in the form of `GET /_sandbox/served`. */
export interface ServedFigures {
  /** requests that reached a model endpoint whole, whatever their answer */
  requests: number;
  /** prompt tokens of every answer of which at least one token, or the end, was written */
  prompt_tokens: number;
  /** tokens written; a plain answer counts when it is written whole, a streamed one token by token */
  completion_tokens: number;
  /** requests whose answer was cut off: by the client, by a told failure, or never given */
  aborted: number;
}

/** The running counters of one engine. */
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
