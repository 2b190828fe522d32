-- Up Migration
CREATE SCHEMA memo;
GRANT USAGE ON SCHEMA memo TO memo;

-- In ascending order, so that the lower of two roles is the least.
CREATE TYPE memo.role AS ENUM ('viewer', 'editor', 'admin');

CREATE TABLE memo.workspaces (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  created_by text NOT NULL REFERENCES accounts.accounts,
  -- How many numbers its chunks have been given; each is given once.
  next_chunk bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX workspaces_maker ON memo.workspaces (created_by);

-- What a workspace holds is the sum of these: how many documents, and the bytes of the newest version of each as it was
-- uploaded. Uploads make one row of all, one at a time; a deletion waits for none of them and adds one below zero.
CREATE TABLE memo.holdings (
  workspace_id text COLLATE "C" NOT NULL REFERENCES memo.workspaces ON DELETE CASCADE,
  documents integer NOT NULL,
  bytes bigint NOT NULL
);
CREATE INDEX holdings_workspace ON memo.holdings (workspace_id);

-- Who changes members has locked the row of their workspace: the last admin stays, whatever comes at the same time.
CREATE TABLE memo.members (
  workspace_id text COLLATE "C" NOT NULL REFERENCES memo.workspaces ON DELETE CASCADE,
  account_id text NOT NULL REFERENCES accounts.accounts,
  role memo.role NOT NULL,
  -- The others know the address anyway: they were invited by its owner, or invited him by it.
  shows_email boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (workspace_id, account_id)
);
CREATE INDEX members_account ON memo.members (account_id, workspace_id);

-- A key can do what both it and its maker may; it ends with its maker's membership.
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

-- The service sees no email address but those that it has to show or was told.
CREATE FUNCTION memo.member_emails(workspace text) RETURNS TABLE (account_id text, email text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT a.id, a.email FROM memo.members m JOIN accounts.accounts a ON a.id = m.account_id
  WHERE m.workspace_id = workspace AND m.shows_email
$$;
-- An address that nobody has proved to be his could be anybody's.
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
  -- The newest; versions of a document are made under the lock of this row.
  version integer NOT NULL,
  -- The one that is found and cited; null until one was ready.
  serving_version integer,
  created_by text NOT NULL REFERENCES accounts.accounts,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (workspace_id, external_id)
);
CREATE INDEX documents_list ON memo.documents (workspace_id, created_at DESC, id DESC);

-- The newest one of each document, and the one that is served.
CREATE TABLE memo.document_versions (
  document_id text COLLATE "C" NOT NULL REFERENCES memo.documents ON DELETE CASCADE,
  version integer NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  title text NOT NULL,
  metadata json NOT NULL,
  media_type text NOT NULL,
  bytes bigint NOT NULL,
  sha256 bytea NOT NULL,
  -- Of its file, while that is kept.
  upload_id text COLLATE "C",
  -- Who pays for what its ingestion costs.
  uploaded_by text NOT NULL REFERENCES accounts.accounts,
  status text NOT NULL CHECK (status IN ('queued', 'processing', 'ready', 'failed')),
  -- Who works on it; whoever takes it over writes another one here.
  runner text,
  beat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- How often somebody has begun with it.
  attempts integer NOT NULL DEFAULT 0,
  -- Pages, or bytes, whichever its format has.
  processed bigint NOT NULL DEFAULT 0,
  total bigint,
  -- The number in the workspace of its first chunk, once it is served; the others follow.
  first_chunk bigint,
  chunk_count integer NOT NULL DEFAULT 0,
  -- Words in all of its chunks.
  words bigint NOT NULL DEFAULT 0,
  -- How many of its chunks, from the first one on, have vectors, and of which model.
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

-- A file as it was sent, until its text is stored. In parts, so that nobody has to hold it as a whole.
CREATE TABLE memo.source_parts (
  upload_id text COLLATE "C" NOT NULL,
  n integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (upload_id, n)
);
ALTER TABLE memo.source_parts ALTER bytes SET STORAGE EXTERNAL;

-- The text of a version, in the parts that are found and cited: `lead`, white space, and `text` of all of them, one after
-- another, are the whole. Without foreign keys, like all that follows: what is no longer served is taken away later.
CREATE TABLE memo.chunks (
  document_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  n integer NOT NULL,
  -- UTF-16 offset of `text`.
  start_at integer NOT NULL,
  lead text NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (document_id, version, n)
);

-- The index of a workspace is the sum of its segments. One is written once, and replaced by a larger one when it is merged
-- with others. How its columns are packed: apps/memo/src/retrieval/index/segment.ts.
CREATE TABLE memo.segments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null until the version that it was made of is served.
  workspace_id text COLLATE "C",
  document_id text COLLATE "C",
  version integer,
  -- The number of the first chunk, and the distances of the others.
  first_chunk bigint,
  numbers bytea NOT NULL,
  chunks integer NOT NULL,
  words bigint NOT NULL,
  lengths bytea NOT NULL,
  -- How many chunks had their words shortened by the rules of which language.
  languages json NOT NULL,
  CHECK ((workspace_id IS NULL) = (first_chunk IS NULL))
);
CREATE INDEX segments_workspace ON memo.segments (workspace_id) WHERE workspace_id IS NOT NULL;
CREATE INDEX segments_version ON memo.segments (document_id, version) WHERE workspace_id IS NULL;

-- In which chunks of a segment a term stands, and how often.
CREATE TABLE memo.postings (
  segment_id bigint NOT NULL,
  term bigint NOT NULL,
  chunks integer NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (segment_id, term)
);
ALTER TABLE memo.postings ALTER data SET STORAGE EXTERNAL;
ALTER TABLE memo.postings SET (autovacuum_vacuum_scale_factor = 0.05);

-- Chunks that are not served any more and still stand in segments. No search counts them.
CREATE TABLE memo.retired_chunks (
  workspace_id text COLLATE "C" NOT NULL,
  first_chunk bigint NOT NULL,
  -- From the first one on; all of them, whether they still stand in segments or not.
  range_length integer NOT NULL,
  -- Of those that do: merging segments leaves the others out.
  chunks integer NOT NULL,
  words bigint NOT NULL,
  PRIMARY KEY (workspace_id, first_chunk)
);

-- What chunks mean, as a model says it. The vectors of one workspace, one model and one length are a space, named by a hash
-- of the three: only those can be compared.
CREATE TABLE memo.chunk_vectors (
  document_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  n integer NOT NULL,
  space bigint NOT NULL,
  -- In the workspace, as in segments.
  number bigint NOT NULL,
  -- 32-bit floats, the least byte first.
  vector bytea NOT NULL,
  PRIMARY KEY (document_id, version, n)
);
ALTER TABLE memo.chunk_vectors ALTER vector SET STORAGE EXTERNAL;

-- Of the components of a vector a bit each: whether it is below zero. Apart from them, since a search reads all of a space.
CREATE TABLE memo.chunk_signatures (
  space bigint NOT NULL,
  number bigint NOT NULL,
  signature bit varying NOT NULL,
  PRIMARY KEY (space, number)
);

-- What nobody can see any more, to be deleted at leisure: the chunks, vectors and segments of a version, or one segment.
CREATE TABLE memo.garbage (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  document_id text COLLATE "C",
  version integer,
  segment_id bigint,
  CHECK ((document_id IS NULL) = (version IS NULL) AND (document_id IS NULL) <> (segment_id IS NULL))
);

-- Of one member, or of one key of his.
CREATE TABLE memo.conversations (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  account_id text NOT NULL,
  -- Stays when the key is deleted.
  key_id text COLLATE "C",
  title text NOT NULL,
  -- The last number given out, under the lock of this row.
  last_message integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  FOREIGN KEY (workspace_id, account_id) REFERENCES memo.members ON DELETE CASCADE
);
CREATE INDEX conversations_list ON memo.conversations (workspace_id, account_id, created_at DESC, id DESC);

CREATE TABLE memo.messages (
  id text COLLATE "C" PRIMARY KEY,
  conversation_id text COLLATE "C" NOT NULL REFERENCES memo.conversations ON DELETE CASCADE,
  -- In the conversation, from 1.
  n integer NOT NULL,
  role text NOT NULL CHECK (role IN ('user', 'assistant')),
  content text NOT NULL,
  status text NOT NULL CHECK (status IN ('completed', 'failed', 'cancelled')),
  -- What wrote an answer; null for an extract.
  model text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (conversation_id, n)
);

-- What an answer rests on. What was quoted of a document goes with it.
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
