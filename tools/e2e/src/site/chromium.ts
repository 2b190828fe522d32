import { type Browser, chromium } from 'playwright-core';

/** Longer than any step takes on a busy machine, and shorter than a test may take: the error names the step that failed. */
const STEP_MILLIS = 100_000;

/** Starts Chromium without a window. Playwright alone would give each step of its pages 30 seconds. */
export async function launchChromium(executablePath: string, args: string[] = []): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
  browser.on('context', (context) => context.setDefaultTimeout(STEP_MILLIS));
  return browser;
}
