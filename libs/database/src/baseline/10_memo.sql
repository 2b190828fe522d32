CREATE SCHEMA memo;
GRANT USAGE ON SCHEMA memo TO memo;

CREATE TYPE memo.role AS ENUM ('viewer', 'editor', 'admin');

CREATE TABLE memo.workspaces (
  id text COLLATE "C",
  name text NOT NULL,
  created_by text NOT NULL,
  -- The next number for a chunk. A number is never used twice.
  next_chunk bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT workspaces_pkey PRIMARY KEY (id),
  CONSTRAINT workspaces_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts.accounts (id)
);
CREATE INDEX workspaces_creator ON memo.workspaces (created_by);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.workspaces TO memo;

-- The usage of a workspace is the sum of its rows: the number of documents, and the uploaded bytes of the newest version of
-- each. An upload merges all rows into one, and waits for other uploads. A deletion does not wait: it adds a negative row.
CREATE TABLE memo.workspace_usage (
  workspace_id text COLLATE "C" NOT NULL,
  documents integer NOT NULL,
  bytes bigint NOT NULL,
  -- Without a key single rows could neither be named nor be replicated.
  id bigint GENERATED ALWAYS AS IDENTITY,
  CONSTRAINT workspace_usage_pkey PRIMARY KEY (id),
  CONSTRAINT workspace_usage_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES memo.workspaces (id) ON DELETE CASCADE
);
CREATE INDEX workspace_usage_workspace ON memo.workspace_usage (workspace_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.workspace_usage TO memo;

-- A transaction that changes members locks the row of the workspace, so that concurrent changes cannot
-- remove the last admin.
CREATE TABLE memo.members (
  workspace_id text COLLATE "C",
  account_id text,
  role memo.role NOT NULL,
  -- Whether other members see the email address: if the member created the workspace, or was added by that address.
  shows_email boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT members_pkey PRIMARY KEY (workspace_id, account_id),
  CONSTRAINT members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES memo.workspaces (id) ON DELETE CASCADE,
  CONSTRAINT members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX members_account ON memo.members (account_id, workspace_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.members TO memo;

-- A key has the lower of its own role and the role of its creator. It is deleted with the membership of its creator.
CREATE TABLE memo.keys (
  id text COLLATE "C",
  workspace_id text COLLATE "C" NOT NULL,
  account_id text NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  key_hash bytea NOT NULL,
  role memo.role NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_used_at timestamptz,
  CONSTRAINT keys_pkey PRIMARY KEY (id),
  CONSTRAINT keys_key_hash_key UNIQUE (key_hash),
  CONSTRAINT keys_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES memo.members (workspace_id, account_id) ON DELETE CASCADE
);
CREATE INDEX keys_member ON memo.keys (workspace_id, account_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.keys TO memo;

CREATE TABLE memo.documents (
  id text COLLATE "C",
  workspace_id text COLLATE "C" NOT NULL,
  external_id text,
  -- The newest version. A transaction that adds a version locks this row.
  version integer NOT NULL,
  -- The version that search uses. Null until a version is ready.
  serving_version integer,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT documents_pkey PRIMARY KEY (id),
  CONSTRAINT documents_workspace_id_external_id_key UNIQUE (workspace_id, external_id),
  CONSTRAINT documents_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES memo.workspaces (id) ON DELETE CASCADE,
  CONSTRAINT documents_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts.accounts (id)
);
CREATE INDEX documents_list ON memo.documents (workspace_id, created_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.documents TO memo;

-- The newest version of each document and the version that is served.
CREATE TABLE memo.document_versions (
  document_id text COLLATE "C",
  version integer,
  workspace_id text COLLATE "C" NOT NULL,
  title text NOT NULL,
  metadata json NOT NULL,
  media_type text NOT NULL,
  bytes bigint NOT NULL,
  sha256 bytea NOT NULL,
  -- The uploaded file in source_parts, as long as it is stored.
  upload_id text COLLATE "C",
  -- The account that pays for the ingestion.
  uploaded_by text NOT NULL,
  status text NOT NULL,
  -- Identifies the run that works on the version. A run that takes over writes its own value.
  runner text,
  heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
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
  CONSTRAINT document_versions_pkey PRIMARY KEY (document_id, version),
  CONSTRAINT document_versions_status_check CHECK (status IN ('queued', 'processing', 'ready', 'failed')),
  CONSTRAINT document_versions_check CHECK ((status = 'failed') = (error_code IS NOT NULL)),
  CONSTRAINT document_versions_check1 CHECK ((error_code IS NULL) = (error_message IS NULL)),
  CONSTRAINT document_versions_check2 CHECK ((status = 'processing') = (runner IS NOT NULL)),
  CONSTRAINT document_versions_check3 CHECK ((status = 'ready') = (first_chunk IS NOT NULL)),
  CONSTRAINT document_versions_document_id_fkey FOREIGN KEY (document_id) REFERENCES memo.documents (id) ON DELETE CASCADE,
  CONSTRAINT document_versions_uploaded_by_fkey FOREIGN KEY (uploaded_by) REFERENCES accounts.accounts (id)
);
CREATE UNIQUE INDEX versions_chunks ON memo.document_versions (workspace_id, first_chunk);
CREATE INDEX versions_open ON memo.document_versions (heartbeat_at) WHERE status IN ('queued', 'processing');
CREATE INDEX versions_embedded ON memo.document_versions (embedding_model, ((embedded < chunk_count))) WHERE status = 'ready';
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.document_versions TO memo;

-- An uploaded file, until its text is stored. It is in parts, so that no process needs the whole file in memory.
CREATE TABLE memo.source_parts (
  upload_id text COLLATE "C",
  n integer,
  bytes bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT source_parts_pkey PRIMARY KEY (upload_id, n)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.source_parts TO memo;

-- The text of a version in the parts that search finds. lead is the white space before text. The leads and texts of all
-- chunks, in order, are the whole text. This table and the next ones have no foreign keys, because rows of versions that are
-- not served any more are deleted later.
CREATE TABLE memo.chunks (
  document_id text COLLATE "C",
  version integer,
  n integer,
  -- UTF-16 offset of text.
  start_at integer NOT NULL,
  lead text NOT NULL,
  text text NOT NULL,
  CONSTRAINT chunks_pkey PRIMARY KEY (document_id, version, n)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.chunks TO memo;

-- The word index of a workspace consists of its segments. A segment never changes; merging replaces several segments by a
-- larger one. The packing of the columns is described in apps/memo/src/retrieval/index/segment.ts.
CREATE TABLE memo.segments (
  id bigint GENERATED ALWAYS AS IDENTITY,
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
  CONSTRAINT segments_pkey PRIMARY KEY (id),
  CONSTRAINT segments_check CHECK ((workspace_id IS NULL) = (first_chunk IS NULL))
);
CREATE INDEX segments_workspace ON memo.segments (workspace_id) WHERE workspace_id IS NOT NULL;
CREATE INDEX segments_version ON memo.segments (document_id, version) WHERE workspace_id IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.segments TO memo;

-- The chunks of a segment that contain a term, and how often.
CREATE TABLE memo.postings (
  segment_id bigint,
  term bigint,
  chunks integer NOT NULL,
  data bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT postings_pkey PRIMARY KEY (segment_id, term)
) WITH (autovacuum_vacuum_scale_factor=0.05);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.postings TO memo;

-- Chunks that are not served any more but are still in segments. Search ignores them.
CREATE TABLE memo.retired_chunks (
  workspace_id text COLLATE "C",
  first_chunk bigint,
  -- Number of all chunks of the range, whether they are still in segments or not.
  range_length integer NOT NULL,
  -- Of the chunks that are still in segments. Merging segments removes them.
  chunks integer NOT NULL,
  words bigint NOT NULL,
  CONSTRAINT retired_chunks_pkey PRIMARY KEY (workspace_id, first_chunk)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.retired_chunks TO memo;

-- Embeddings of chunks. Only vectors of the same workspace, model and length can be compared. They form a space, whose id
-- is a hash of the three.
CREATE TABLE memo.chunk_vectors (
  document_id text COLLATE "C",
  version integer,
  n integer,
  space bigint NOT NULL,
  -- Number of the chunk in the workspace, as in segments.
  number bigint NOT NULL,
  -- 32-bit floats, little-endian.
  vector bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT chunk_vectors_pkey PRIMARY KEY (document_id, version, n)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.chunk_vectors TO memo;

-- One bit for each component of a vector: whether it is negative. In a table of its own, because a search reads all
-- signatures of a space.
CREATE TABLE memo.chunk_signatures (
  space bigint,
  number bigint,
  signature bit varying NOT NULL,
  CONSTRAINT chunk_signatures_pkey PRIMARY KEY (space, number)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.chunk_signatures TO memo;

-- Data that is not visible any more and is deleted in the background: the chunks, vectors and segments of a version, or one
-- segment.
CREATE TABLE memo.garbage (
  id bigint GENERATED ALWAYS AS IDENTITY,
  document_id text COLLATE "C",
  version integer,
  segment_id bigint,
  CONSTRAINT garbage_pkey PRIMARY KEY (id),
  CONSTRAINT garbage_check CHECK (((document_id IS NULL) = (version IS NULL)) AND ((document_id IS NULL) <> (segment_id IS NULL)))
);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.garbage TO memo;

-- A conversation belongs to a member, or to one key of a member.
CREATE TABLE memo.conversations (
  id text COLLATE "C",
  workspace_id text COLLATE "C" NOT NULL,
  account_id text NOT NULL,
  -- Kept when the key is deleted.
  key_id text COLLATE "C",
  title text NOT NULL,
  -- Number of the last message. A transaction that adds a message locks this row.
  last_message integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT conversations_pkey PRIMARY KEY (id),
  CONSTRAINT conversations_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES memo.members (workspace_id, account_id) ON DELETE CASCADE
);
CREATE INDEX conversations_list ON memo.conversations (workspace_id, account_id, created_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.conversations TO memo;

CREATE TABLE memo.messages (
  id text COLLATE "C",
  conversation_id text COLLATE "C" NOT NULL,
  -- Number in the conversation, from 1.
  n integer NOT NULL,
  role text NOT NULL,
  content text NOT NULL,
  status text NOT NULL,
  -- The model that wrote the answer. Null for an extract of the documents.
  model text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  request_ids text[] NOT NULL DEFAULT '{}',
  passages json NOT NULL DEFAULT '[]',
  CONSTRAINT messages_pkey PRIMARY KEY (id),
  CONSTRAINT messages_conversation_id_n_key UNIQUE (conversation_id, n),
  CONSTRAINT messages_role_check CHECK (role IN ('user', 'assistant')),
  CONSTRAINT messages_status_check CHECK (status IN ('completed', 'failed', 'cancelled')),
  CONSTRAINT messages_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES memo.conversations (id) ON DELETE CASCADE
);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.messages TO memo;

-- The sources of an answer. The citations of a document are deleted with it.
CREATE TABLE memo.citations (
  message_id text COLLATE "C",
  number integer,
  document_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  title text NOT NULL,
  chunk_index integer NOT NULL,
  -- UTF-16 offsets in the text of that version.
  start_at integer NOT NULL,
  end_at integer NOT NULL,
  snippet text NOT NULL,
  CONSTRAINT citations_pkey PRIMARY KEY (message_id, number),
  CONSTRAINT citations_message_id_fkey FOREIGN KEY (message_id) REFERENCES memo.messages (id) ON DELETE CASCADE,
  CONSTRAINT citations_document_id_fkey FOREIGN KEY (document_id) REFERENCES memo.documents (id) ON DELETE CASCADE
);
CREATE INDEX citations_document ON memo.citations (document_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.citations TO memo;
