import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- What a member thinks of an answer. It is deleted with the answer.
CREATE TABLE memo.feedback (
  message_id text COLLATE "C" PRIMARY KEY REFERENCES memo.messages ON DELETE CASCADE,
  workspace_id text COLLATE "C" NOT NULL REFERENCES memo.workspaces ON DELETE CASCADE,
  rating text NOT NULL CONSTRAINT feedback_rating_check CHECK (rating IN ('helpful', 'unhelpful')),
  comment text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX feedback_workspace ON memo.feedback (workspace_id, created_at, message_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.feedback TO memo;
`;

// Loses the feedback.
const DOWN = 'DROP TABLE memo.feedback';

/** Members say whether an answer of a workspace has helped, and its admins read it. */
export class AnswerFeedback0000000000046 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
