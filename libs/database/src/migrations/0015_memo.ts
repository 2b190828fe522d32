import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
CREATE SCHEMA memo;
GRANT USAGE ON SCHEMA memo TO memo;

-- In ascending order, so that least() returns the lower of two roles.
CREATE TYPE memo.role AS ENUM ('viewer', 'editor', 'admin');

CREATE TABLE memo.workspaces (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  created_by text NOT NULL REFERENCES accounts.accounts,
  -- The next number for a chunk. A number is never used twice.
  next_chunk bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX workspaces_maker ON memo.workspaces (created_by);

-- The usage of a workspace is the sum of its rows: the number of documents, and the uploaded bytes of the newest version of
-- each. An upload merges all rows into one, and waits for other uploads. A deletion does not wait: it adds a negative row.
CREATE TABLE memo.holdings (
  workspace_id text COLLATE "C" NOT NULL REFERENCES memo.workspaces ON DELETE CASCADE,
  documents integer NOT NULL,
  bytes bigint NOT NULL
);
CREATE INDEX holdings_workspace ON memo.holdings (workspace_id);

-- A transaction that changes members locks the row of the workspace, so that concurrent changes cannot
-- remove the last admin.
CREATE TABLE memo.members (
  workspace_id text COLLATE "C" NOT NULL REFERENCES memo.workspaces ON DELETE CASCADE,
  account_id text NOT NULL REFERENCES accounts.accounts,
  role memo.role NOT NULL,
  -- Whether other members see the email address: if the member created the workspace, or was added by that address.
  shows_email boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (workspace_id, account_id)
);
CREATE INDEX members_account ON memo.members (account_id, workspace_id);

-- A key has the lower of its own role and the role of its creator. It is deleted with the membership of its creator.
CREATE TABLE memo.keys (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  account_id text NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  key_hash bytea NOT NULL UNIQUE,
  role memo.role NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_used_at timestamptz,
  FOREIGN KEY (workspace_id, account_id) REFERENCES memo.members ON DELETE CASCADE
);
CREATE INDEX keys_member ON memo.keys (workspace_id, account_id);

-- The service can read only the email addresses that it shows, or that a caller has entered.
CREATE FUNCTION memo.member_emails(workspace text) RETURNS TABLE (account_id text, email text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT a.id, a.email FROM memo.members m JOIN accounts.accounts a ON a.id = m.account_id
  WHERE m.workspace_id = workspace AND m.shows_email
$$;
-- Finds accounts by verified addresses only, because an unverified address may belong to somebody else.
CREATE FUNCTION memo.find_account(address text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT id FROM accounts.accounts WHERE email = lower(address) AND email_verified_at IS NOT NULL
$$;
REVOKE ALL ON FUNCTION memo.member_emails(text), memo.find_account(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memo.member_emails(text), memo.find_account(text) TO memo;

CREATE TABLE memo.documents (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES memo.workspaces ON DELETE CASCADE,
  external_id text,
  -- The newest version. A transaction that adds a version locks this row.
  version integer NOT NULL,
  -- The version that search uses. Null until a version is ready.
  serving_version integer,
  created_by text NOT NULL REFERENCES accounts.accounts,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (workspace_id, external_id)
);
CREATE INDEX documents_list ON memo.documents (workspace_id, created_at DESC, id DESC);

-- The newest version of each document and the version that is served.
CREATE TABLE memo.document_versions (
  document_id text COLLATE "C" NOT NULL REFERENCES memo.documents ON DELETE CASCADE,
  version integer NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  title text NOT NULL,
  metadata json NOT NULL,
  media_type text NOT NULL,
  bytes bigint NOT NULL,
  sha256 bytea NOT NULL,
  -- The uploaded file in source_parts, as long as it is stored.
  upload_id text COLLATE "C",
  -- The account that pays for the ingestion.
  uploaded_by text NOT NULL REFERENCES accounts.accounts,
  status text NOT NULL CHECK (status IN ('queued', 'processing', 'ready', 'failed')),
  -- Identifies the run that works on the version. A run that takes over writes its own value.
  runner text,
  beat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- How often the ingestion was started.
  attempts integer NOT NULL DEFAULT 0,
  -- In pages or bytes, depending on the format.
  processed bigint NOT NULL DEFAULT 0,
  total bigint,
  -- Number of the first chunk in the workspace, once the version is served. The other chunks have the next numbers.
  first_chunk bigint,
  chunk_count integer NOT NULL DEFAULT 0,
  -- Number of words in all chunks.
  words bigint NOT NULL DEFAULT 0,
  -- How many chunks, counted from the first, have vectors, and the model of the vectors.
  embedding_model text,
  embedded integer NOT NULL DEFAULT 0,
  error_code text,
  error_message text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (document_id, version),
  CHECK ((status = 'failed') = (error_code IS NOT NULL)),
  CHECK ((error_code IS NULL) = (error_message IS NULL)),
  CHECK ((status = 'processing') = (runner IS NOT NULL)),
  CHECK ((status = 'ready') = (first_chunk IS NOT NULL))
);
CREATE UNIQUE INDEX versions_chunks ON memo.document_versions (workspace_id, first_chunk);
CREATE INDEX versions_open ON memo.document_versions (beat_at) WHERE status IN ('queued', 'processing');
CREATE INDEX versions_embedded ON memo.document_versions (embedding_model, (embedded < chunk_count)) WHERE status = 'ready';

-- An uploaded file, until its text is stored. It is in parts, so that no process needs the whole file in memory.
CREATE TABLE memo.source_parts (
  upload_id text COLLATE "C" NOT NULL,
  n integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (upload_id, n)
);
ALTER TABLE memo.source_parts ALTER bytes SET STORAGE EXTERNAL;

-- The text of a version in the parts that search finds. lead is the white space before text. The leads and texts of all
-- chunks, in order, are the whole text. This table and the next ones have no foreign keys, because rows of versions that are
-- not served any more are deleted later.
CREATE TABLE memo.chunks (
  document_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  n integer NOT NULL,
  -- UTF-16 offset of text.
  start_at integer NOT NULL,
  lead text NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (document_id, version, n)
);

-- The word index of a workspace consists of its segments. A segment never changes; merging replaces several segments by a
-- larger one. The packing of the columns is described in apps/memo/src/retrieval/index/segment.ts.
CREATE TABLE memo.segments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null until the version that the segment was built from is served.
  workspace_id text COLLATE "C",
  document_id text COLLATE "C",
  version integer,
  -- Number of the first chunk, and the distances from each chunk to the next.
  first_chunk bigint,
  numbers bytea NOT NULL,
  chunks integer NOT NULL,
  words bigint NOT NULL,
  lengths bytea NOT NULL,
  -- Number of chunks by the language whose stemming was used.
  languages json NOT NULL,
  CHECK ((workspace_id IS NULL) = (first_chunk IS NULL))
);
CREATE INDEX segments_workspace ON memo.segments (workspace_id) WHERE workspace_id IS NOT NULL;
CREATE INDEX segments_version ON memo.segments (document_id, version) WHERE workspace_id IS NULL;

-- The chunks of a segment that contain a term, and how often.
CREATE TABLE memo.postings (
  segment_id bigint NOT NULL,
  term bigint NOT NULL,
  chunks integer NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (segment_id, term)
);
ALTER TABLE memo.postings ALTER data SET STORAGE EXTERNAL;
ALTER TABLE memo.postings SET (autovacuum_vacuum_scale_factor = 0.05);

-- Chunks that are not served any more but are still in segments. Search ignores them.
CREATE TABLE memo.retired_chunks (
  workspace_id text COLLATE "C" NOT NULL,
  first_chunk bigint NOT NULL,
  -- Number of all chunks of the range, whether they are still in segments or not.
  range_length integer NOT NULL,
  -- Of the chunks that are still in segments. Merging segments removes them.
  chunks integer NOT NULL,
  words bigint NOT NULL,
  PRIMARY KEY (workspace_id, first_chunk)
);

-- Embeddings of chunks. Only vectors of the same workspace, model and length can be compared. They form a space, whose id
-- is a hash of the three.
CREATE TABLE memo.chunk_vectors (
  document_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  n integer NOT NULL,
  space bigint NOT NULL,
  -- Number of the chunk in the workspace, as in segments.
  number bigint NOT NULL,
  -- 32-bit floats, little-endian.
  vector bytea NOT NULL,
  PRIMARY KEY (document_id, version, n)
);
ALTER TABLE memo.chunk_vectors ALTER vector SET STORAGE EXTERNAL;

-- One bit for each component of a vector: whether it is negative. In a table of its own, because a search reads all
-- signatures of a space.
CREATE TABLE memo.chunk_signatures (
  space bigint NOT NULL,
  number bigint NOT NULL,
  signature bit varying NOT NULL,
  PRIMARY KEY (space, number)
);

-- Data that is not visible any more and is deleted in the background: the chunks, vectors and segments of a version, or one
-- segment.
CREATE TABLE memo.garbage (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  document_id text COLLATE "C",
  version integer,
  segment_id bigint,
  CHECK ((document_id IS NULL) = (version IS NULL) AND (document_id IS NULL) <> (segment_id IS NULL))
);

-- A conversation belongs to a member, or to one key of a member.
CREATE TABLE memo.conversations (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  account_id text NOT NULL,
  -- Kept when the key is deleted.
  key_id text COLLATE "C",
  title text NOT NULL,
  -- Number of the last message. A transaction that adds a message locks this row.
  last_message integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  FOREIGN KEY (workspace_id, account_id) REFERENCES memo.members ON DELETE CASCADE
);
CREATE INDEX conversations_list ON memo.conversations (workspace_id, account_id, created_at DESC, id DESC);

CREATE TABLE memo.messages (
  id text COLLATE "C" PRIMARY KEY,
  conversation_id text COLLATE "C" NOT NULL REFERENCES memo.conversations ON DELETE CASCADE,
  -- Number in the conversation, from 1.
  n integer NOT NULL,
  role text NOT NULL CHECK (role IN ('user', 'assistant')),
  content text NOT NULL,
  status text NOT NULL CHECK (status IN ('completed', 'failed', 'cancelled')),
  -- The model that wrote the answer. Null for an extract of the documents.
  model text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (conversation_id, n)
);

-- The sources of an answer. The citations of a document are deleted with it.
CREATE TABLE memo.citations (
  message_id text COLLATE "C" NOT NULL REFERENCES memo.messages ON DELETE CASCADE,
  number integer NOT NULL,
  document_id text COLLATE "C" NOT NULL REFERENCES memo.documents ON DELETE CASCADE,
  version integer NOT NULL,
  title text NOT NULL,
  chunk_index integer NOT NULL,
  -- UTF-16 offsets in the text of that version.
  start_at integer NOT NULL,
  end_at integer NOT NULL,
  snippet text NOT NULL,
  PRIMARY KEY (message_id, number)
);
CREATE INDEX citations_document ON memo.citations (document_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA memo TO memo;
`;

const DOWN = `
-- Loses all workspaces and their documents.
DROP SCHEMA memo CASCADE;
`;

export class Memo0000000000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
