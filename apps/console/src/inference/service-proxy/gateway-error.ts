interface OpenAiError {
  message?: unknown;
  code?: unknown;
  param?: unknown;
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

function parsed(body: string): OpenAiError {
  try {
    const { error } = JSON.parse(body) as { error?: OpenAiError | null };
    return error ?? {};
  } catch {
    // Not the gateway's own answer, for example a page of a proxy.
    return {};
  }
}

/** The gateway's error (OpenAI's shape) in the shape of the console: `{error, code?, param?}`. */
export function consoleErrorOf(body: string, status: number) {
  const { message, code, param } = parsed(body);
  return {
    error: text(message) ?? `the gateway answered ${status}`,
    ...(text(code) !== undefined && { code }),
    ...(text(param) !== undefined && { param }),
  };
}
