CREATE SCHEMA catalogue;
GRANT USAGE ON SCHEMA catalogue TO console;

-- When each public part of the catalogue last changed, removals included, which the remaining rows do not show.
-- An HTTP date has a resolution of one second, so each change gets another second, even if it must lie in the future.
CREATE TABLE catalogue.changes (
  topic text,
  changed_at timestamptz NOT NULL,
  CONSTRAINT changes_pkey PRIMARY KEY (topic)
);
GRANT SELECT ON catalogue.changes TO console;

-- One version of a model: a file that is stored under the id of the package.
CREATE TABLE catalogue.packages (
  id text,
  slug text NOT NULL,
  version text NOT NULL,
  file_name text NOT NULL,
  size bigint NOT NULL,
  sha256 bytea,
  uploaded_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The process that receives the upload extends this time. After it the upload counts as abandoned.
  uploading_until timestamptz,
  stored_at timestamptz,
  -- When it was published for the first time.
  published_at timestamptz,
  removed_at timestamptz,
  -- When the file was deleted from the storage.
  purged_at timestamptz,
  CONSTRAINT packages_pkey PRIMARY KEY (id),
  CONSTRAINT packages_slug_id_key UNIQUE (slug, id),
  CONSTRAINT packages_size_check CHECK (size >= 0),
  CONSTRAINT packages_sha256_check CHECK (length(sha256) = 32),
  CONSTRAINT packages_check CHECK ((stored_at IS NULL) = (sha256 IS NULL)),
  CONSTRAINT packages_check1 CHECK ((stored_at IS NULL) = (uploading_until IS NOT NULL)),
  CONSTRAINT packages_check2 CHECK ((published_at IS NULL) OR (stored_at IS NOT NULL)),
  CONSTRAINT packages_check3 CHECK ((purged_at IS NULL) OR (removed_at IS NOT NULL)),
  CONSTRAINT packages_uploaded_by_fkey FOREIGN KEY (uploaded_by) REFERENCES accounts.accounts (id)
);
-- A version that was published once cannot be used for another file.
CREATE UNIQUE INDEX packages_version ON catalogue.packages (slug, version) WHERE (stored_at IS NOT NULL) AND ((removed_at IS NULL) OR (published_at IS NOT NULL));
CREATE INDEX packages_to_purge ON catalogue.packages (removed_at) WHERE (purged_at IS NULL) AND (removed_at IS NOT NULL);
CREATE INDEX packages_uploading ON catalogue.packages (uploading_until) WHERE (stored_at IS NULL) AND (removed_at IS NULL);
CREATE INDEX packages_published ON catalogue.packages (published_at DESC, id DESC) WHERE published_at IS NOT NULL;
GRANT SELECT, INSERT, DELETE ON catalogue.packages TO console;
GRANT UPDATE (sha256, uploading_until, stored_at, published_at, removed_at, purged_at) ON catalogue.packages TO console;

CREATE TABLE catalogue.models (
  slug text,
  id text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  family text,
  parameters text,
  quantization text,
  format text,
  license text,
  -- The published package. Null if none is published.
  package_id text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT models_pkey PRIMARY KEY (slug),
  CONSTRAINT models_id_key UNIQUE (id),
  CONSTRAINT models_slug_package_id_fkey FOREIGN KEY (slug, package_id) REFERENCES catalogue.packages (slug, id)
);
CREATE INDEX models_packages ON catalogue.models (package_id) WHERE package_id IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON catalogue.models TO console;

-- A download is counted once for each account, package and UTC day, regardless of the number of links.
CREATE TABLE catalogue.package_downloads (
  package_id text,
  day date,
  account_id text,
  links integer NOT NULL,
  CONSTRAINT package_downloads_pkey PRIMARY KEY (package_id, day, account_id),
  CONSTRAINT package_downloads_package_id_fkey FOREIGN KEY (package_id) REFERENCES catalogue.packages (id),
  CONSTRAINT package_downloads_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX package_downloads_days ON catalogue.package_downloads (day);
GRANT SELECT, INSERT, UPDATE ON catalogue.package_downloads TO console;

-- The releases that admins published, and the latest release of each followed repository.
CREATE TABLE catalogue.releases (
  component text,
  tag_name text,
  source text,
  name text NOT NULL,
  draft boolean NOT NULL,
  prerelease boolean NOT NULL,
  -- [{name, url, size, content_type}]
  assets jsonb NOT NULL,
  published_at timestamptz,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT releases_pkey PRIMARY KEY (component, tag_name, source),
  CONSTRAINT releases_component_check CHECK (component IN ('engine', 'router', 'agent', 'memo')),
  CONSTRAINT releases_source_check CHECK (source IN ('admin', 'code_host')),
  CONSTRAINT releases_assets_check CHECK (jsonb_typeof(assets) = 'array'),
  CONSTRAINT releases_check CHECK (draft OR (published_at IS NOT NULL))
);
CREATE UNIQUE INDEX releases_followed ON catalogue.releases (component) WHERE source = 'code_host';
GRANT SELECT, INSERT, UPDATE, DELETE ON catalogue.releases TO console;

-- The repositories at the code host that are followed, and the result of the last check.
CREATE TABLE catalogue.followed_repositories (
  component text,
  repository text NOT NULL,
  -- ETag of the last response that was applied. Null if it does not cover everything that was read.
  etag text,
  -- When that response was received completely.
  read_at timestamptz,
  next_check_at timestamptz NOT NULL DEFAULT now(),
  -- A process asks the code host until this time. After it other processes may.
  claimed_until timestamptz,
  checked_at timestamptz,
  succeeded_at timestamptz,
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  due_at timestamptz NOT NULL GENERATED ALWAYS AS (greatest(next_check_at, claimed_until)) STORED,
  CONSTRAINT followed_repositories_pkey PRIMARY KEY (component),
  CONSTRAINT followed_repositories_component_check CHECK (component IN ('engine', 'router', 'agent', 'memo'))
);
GRANT SELECT, INSERT, UPDATE, DELETE ON catalogue.followed_repositories TO console;

-- How often each release was returned as the latest release of its component.
CREATE TABLE catalogue.release_lookups (
  component text,
  tag_name text,
  day date,
  lookups bigint NOT NULL,
  CONSTRAINT release_lookups_pkey PRIMARY KEY (component, tag_name, day)
);
GRANT SELECT, INSERT, UPDATE ON catalogue.release_lookups TO console;

CREATE TABLE catalogue.changelog_entries (
  id text,
  title text NOT NULL,
  body text NOT NULL,
  component text,
  tag_name text,
  published_at timestamptz NOT NULL,
  published_by text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT changelog_entries_pkey PRIMARY KEY (id),
  CONSTRAINT changelog_entries_component_check CHECK (component IN ('engine', 'router', 'agent', 'memo')),
  CONSTRAINT changelog_entries_published_by_fkey FOREIGN KEY (published_by) REFERENCES accounts.accounts (id)
);
CREATE INDEX changelog_list ON catalogue.changelog_entries (published_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON catalogue.changelog_entries TO console;

-- A package that arrives in parts. Its row in catalogue.packages exists from the beginning.
CREATE TABLE catalogue.resumable_uploads (
  package_id text,
  -- Bytes of every part but the last one.
  part_bytes bigint NOT NULL,
  -- The storage's own name of the upload.
  storage_upload_id text NOT NULL,
  announced_sha256 bytea,
  -- When the file was last changed at the client, by which a client recognizes it.
  file_modified_at timestamptz,
  -- When the client said that all parts had arrived, and where its request came from.
  submitted_at timestamptz,
  submitted_from jsonb,
  -- Null: there is nothing to do.
  next_attempt_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  -- Until then one process joins and checks the parts and no other does.
  claimed_until timestamptz,
  due_at timestamptz GENERATED ALWAYS AS (CASE WHEN next_attempt_at IS NOT NULL THEN greatest(next_attempt_at, claimed_until) END) STORED,
  completed_at timestamptz,
  -- Why it did not become a package.
  failure_code text,
  failure_message text,
  CONSTRAINT resumable_uploads_pkey PRIMARY KEY (package_id),
  CONSTRAINT resumable_uploads_part_bytes_check CHECK (part_bytes > 0),
  CONSTRAINT resumable_uploads_announced_sha256_check CHECK (length(announced_sha256) = 32),
  CONSTRAINT resumable_uploads_check CHECK ((next_attempt_at IS NULL) OR (submitted_at IS NOT NULL)),
  CONSTRAINT resumable_uploads_check1 CHECK ((failure_code IS NULL) = (failure_message IS NULL)),
  CONSTRAINT resumable_uploads_package_id_fkey FOREIGN KEY (package_id) REFERENCES catalogue.packages (id) ON DELETE CASCADE
);
CREATE INDEX resumable_uploads_due ON catalogue.resumable_uploads (due_at) WHERE due_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON catalogue.resumable_uploads TO console;

-- The digest is stored before the part is: whoever writes a part writes this content.
CREATE TABLE catalogue.upload_parts (
  package_id text,
  number integer,
  sha256 bytea NOT NULL,
  stored_at timestamptz,
  CONSTRAINT upload_parts_pkey PRIMARY KEY (package_id, number),
  CONSTRAINT upload_parts_number_check CHECK (number > 0),
  CONSTRAINT upload_parts_sha256_check CHECK (length(sha256) = 32),
  CONSTRAINT upload_parts_package_id_fkey FOREIGN KEY (package_id) REFERENCES catalogue.resumable_uploads (package_id) ON DELETE CASCADE
);
GRANT SELECT, INSERT ON catalogue.upload_parts TO console;
GRANT UPDATE (stored_at) ON catalogue.upload_parts TO console;
