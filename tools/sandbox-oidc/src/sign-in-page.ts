const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** The sign-in and consent page: a plain form, so that a script can send it too. */
export function signInPage(action: string, clientId: string, scope: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sandbox sign-in</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 4rem auto; padding: 0 1rem }
  label, button { display: block; margin: 1rem 0 }
  input[type=email] { width: 100%; font: inherit }
</style>
<h1>Sandbox sign-in</h1>
<p><strong>${escapeHtml(clientId)}</strong> asks for: ${escapeHtml(scope)}</p>
<form method="post" action="${escapeHtml(action)}">
  <label>E-mail address <input type="email" name="email" autocomplete="email" autofocus></label>
  <label><input type="checkbox" name="verified" value="yes" checked> this address is verified</label>
  <button name="decision" value="approve">Continue</button>
  <button name="decision" value="deny" formnovalidate>Deny</button>
</form>
</html>
`;
}
