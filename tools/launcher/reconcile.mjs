import { runSiteCommand } from './site-command.mjs';

/** `npm run reconcile`: checks the ledger. */
runSiteCommand('libs/metering/src/reconcile/command.js', []);
