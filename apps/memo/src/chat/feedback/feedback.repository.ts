import { type Executor, type Position, type Transaction } from '@inference/database';
import { Feedback, Message, type Rating } from '../../tables/conversation.entity';

const COUNT = `
  SELECT count(*) FILTER (WHERE rating = 'helpful')::integer AS helpful,
    count(*) FILTER (WHERE rating = 'unhelpful')::integer AS unhelpful
  FROM memo.feedback WHERE workspace_id = $1`;
const LIST = `
  SELECT f.message_id AS "messageId", f.rating, f.comment, f.created_at AS "createdAt", c.account_id AS "accountId", e.email,
    q.content AS question, a.content AS answer,
    json_build_object('at', to_char(f.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'id', f.message_id) AS position
  FROM memo.feedback f
  JOIN memo.messages a ON a.id = f.message_id
  JOIN memo.messages q ON q.conversation_id = a.conversation_id AND q.n = a.n - 1
  JOIN memo.conversations c ON c.id = a.conversation_id AND c.workspace_id = $1
  LEFT JOIN memo.member_emails($1) e ON e.account_id = c.account_id
  WHERE f.workspace_id = $1 AND ($2::timestamptz IS NULL OR (f.created_at, f.message_id) < ($2, $3))
  ORDER BY f.created_at DESC, f.message_id DESC LIMIT $4`;

/** Feedback with the exchange that it is about. */
export type FeedbackWithExchange = Omit<Feedback, 'workspaceId'> & {
  accountId: string;
  email: string | null;
  question: string;
  answer: string;
  position: Position;
};

/** Whether the conversation has this answer. */
export function answerExists(executor: Executor, conversationId: string, id: string): Promise<boolean> {
  return executor.repository(Message).existsBy({ conversationId, id, role: 'assistant' });
}

/** Replaces the feedback that was given before. */
export async function storeFeedback(
  transaction: Transaction,
  feedback: Omit<Feedback, 'createdAt'>,
): Promise<Pick<Feedback, 'createdAt'>> {
  const { raw } = await transaction
    .repository(Feedback)
    .createQueryBuilder()
    .insert()
    .values({ ...feedback, createdAt: () => 'clock_timestamp()' })
    .orUpdate(['rating', 'comment', 'created_at'], ['message_id'])
    .returning(['createdAt'])
    .execute();
  const [row] = raw as { created_at: Date }[];
  return { createdAt: row!.created_at };
}

export async function deleteFeedback(
  transaction: Transaction,
  key: Pick<Feedback, 'workspaceId' | 'messageId'>,
): Promise<void> {
  await transaction.repository(Feedback).delete(key);
}

export async function countFeedback(
  executor: Executor,
  workspaceId: string,
): Promise<Record<Rating, number>> {
  return (await executor.query<Record<Rating, number>>(COUNT, [workspaceId])).rows[0]!;
}

/** Newest first. */
export async function listFeedback(
  executor: Executor,
  workspaceId: string,
  after: Position | null,
  count: number,
): Promise<FeedbackWithExchange[]> {
  const values = [workspaceId, after?.at ?? null, after?.id ?? null, count];
  return (await executor.query<FeedbackWithExchange>(LIST, values)).rows;
}
