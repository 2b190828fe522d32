import { runSiteCommand } from './site-command.mjs';

/** `npm run usage -- export|verify|restore`: the archive of usage events. */
runSiteCommand('libs/usage-archive/src/command.js', process.argv.slice(2));
