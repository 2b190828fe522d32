import path from 'node:path';
import { checkStructure } from './check-structure.mjs';

/** A part of `npm run lint`: checks feature modules, the length of app modules and the places of statements. Exits with 1 if there are problems. */

const problems = checkStructure(path.join(import.meta.dirname, '../..'));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
