/** @param {import('playwright-core').Page} tab @param {{ identifier: string, password: string }} account */
export async function signIn(tab, { identifier, password }) {
  await tab.goto('/sign-in');
  await tab.locator('input[autocomplete=username]').fill(identifier);
  await tab.locator('input[autocomplete=current-password]').fill(password);
  await tab.locator('button[type=submit]').click();
  await tab.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
}
