import { judgeTestRun } from '../statements/judgement.mjs';

/**
 * @param {string} logFolder
 * @param {string} postgresUrl of the superuser
 * @returns {Promise<{ text: string, isFault: boolean }>}
 */
export async function describeStatements(logFolder, postgresUrl) {
  const judgement = await judgeTestRun(logFolder, postgresUrl);
  if (judgement === null) return { text: '0 statements were judged', isFault: false };
  const { statements, crossings, faults } = judgement;
  const text = `${statements} statements use tables of accounts; those of ${crossings.size} places cross accounts`;
  if (faults.length === 0) return { text, isFault: false };
  const list = faults.map((fault) => `  ${fault}`).join('\n');
  return {
    text: `${text}, of which these are not in tools/statements/crossing-statements.mjs:\n${list}`,
    isFault: true,
  };
}
