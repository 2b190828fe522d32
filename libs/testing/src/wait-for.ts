/** Polls until the condition holds. Fails with the last error or last value after the deadline. */
export async function waitFor<T>(
  condition: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  timeoutMillis = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMillis;
  for (;;) {
    let failure: unknown = new Error(`The condition was not met within ${timeoutMillis} ms.`);
    try {
      const value = await condition();
      if (value) return value;
    } catch (error) {
      failure = error;
    }
    if (Date.now() > deadline) throw failure;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
