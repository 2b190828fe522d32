import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/** Agents fit prompts into what operators have stored of models. */
export class AgentReadsModels0000000000072 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      GRANT USAGE ON SCHEMA serving TO agent;
      GRANT SELECT (slug, aliases, context_tokens, max_output_tokens) ON serving.models TO agent`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Loses nothing.
      REVOKE SELECT (slug, aliases, context_tokens, max_output_tokens) ON serving.models FROM agent;
      REVOKE USAGE ON SCHEMA serving FROM agent`);
  }
}
