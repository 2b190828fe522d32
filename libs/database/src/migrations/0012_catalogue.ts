import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
CREATE SCHEMA catalogue;
GRANT USAGE ON SCHEMA catalogue TO console;

-- When each public part of the catalogue last changed, removals included, which the remaining rows do not show.
-- An HTTP date has a resolution of one second, so each change gets another second, even if it must lie in the future.
CREATE TABLE catalogue.changes (
  topic text PRIMARY KEY,
  changed_at timestamptz NOT NULL
);

CREATE FUNCTION catalogue.note_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  INSERT INTO catalogue.changes (topic, changed_at) VALUES (TG_ARGV[0], clock_timestamp())
  ON CONFLICT (topic) DO UPDATE SET changed_at =
    GREATEST(clock_timestamp(), date_trunc('second', changes.changed_at) + interval '1 second')
  -- Once in a transaction.
  WHERE changes.xmin::text <> (pg_current_xact_id()::xid)::text;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION catalogue.note_change() FROM PUBLIC;

-- One version of a model: a file that is stored under the id of the package.
CREATE TABLE catalogue.packages (
  id text PRIMARY KEY,
  slug text NOT NULL,
  version text NOT NULL,
  file_name text NOT NULL,
  size bigint NOT NULL CHECK (size >= 0),
  sha256 bytea CHECK (length(sha256) = 32),
  uploaded_by text NOT NULL REFERENCES accounts.accounts,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The process that receives the upload extends this time. After it the upload counts as abandoned.
  uploading_until timestamptz,
  stored_at timestamptz,
  -- When it was published for the first time.
  published_at timestamptz,
  removed_at timestamptz,
  -- When the file was deleted from the storage.
  purged_at timestamptz,
  UNIQUE (slug, id),
  CHECK ((stored_at IS NULL) = (sha256 IS NULL)),
  CHECK ((stored_at IS NULL) = (uploading_until IS NOT NULL)),
  CHECK (published_at IS NULL OR stored_at IS NOT NULL),
  CHECK (purged_at IS NULL OR removed_at IS NOT NULL)
);
-- A version that was published once cannot be used for another file.
CREATE UNIQUE INDEX packages_version ON catalogue.packages (slug, version)
  WHERE stored_at IS NOT NULL AND (removed_at IS NULL OR published_at IS NOT NULL);
CREATE INDEX packages_to_purge ON catalogue.packages (removed_at)
  WHERE purged_at IS NULL AND removed_at IS NOT NULL;
CREATE INDEX packages_uploading ON catalogue.packages (uploading_until) WHERE stored_at IS NULL AND removed_at IS NULL;

CREATE INDEX packages_published ON catalogue.packages (published_at DESC, id DESC) WHERE published_at IS NOT NULL;

-- Refuses to change a stored file, and to delete a published package or its publication time.
CREATE FUNCTION catalogue.keep_package() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.published_at IS NULL THEN RETURN OLD; END IF;
  ELSIF (OLD.stored_at IS NULL OR (NEW.stored_at, NEW.sha256) = (OLD.stored_at, OLD.sha256))
    AND (OLD.published_at IS NULL OR NEW.published_at IS NOT DISTINCT FROM OLD.published_at) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a package never changes';
END $$;
CREATE TRIGGER package_kept BEFORE UPDATE OR DELETE ON catalogue.packages
  FOR EACH ROW EXECUTE FUNCTION catalogue.keep_package();

CREATE TABLE catalogue.models (
  slug text PRIMARY KEY,
  id text NOT NULL UNIQUE,
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
  FOREIGN KEY (slug, package_id) REFERENCES catalogue.packages (slug, id)
);
CREATE INDEX models_packages ON catalogue.models (package_id) WHERE package_id IS NOT NULL;
CREATE TRIGGER model_changed AFTER INSERT OR UPDATE ON catalogue.models
  FOR EACH STATEMENT EXECUTE FUNCTION catalogue.note_change('models');

-- A download is counted once for each account, package and UTC day, regardless of the number of links.
CREATE TABLE catalogue.package_downloads (
  package_id text NOT NULL REFERENCES catalogue.packages,
  day date NOT NULL,
  account_id text NOT NULL REFERENCES accounts.accounts,
  links integer NOT NULL,
  PRIMARY KEY (package_id, day, account_id)
);
CREATE INDEX package_downloads_days ON catalogue.package_downloads (day);

-- The releases that admins published, and the latest release of each followed repository.
CREATE TABLE catalogue.releases (
  component text NOT NULL CHECK (component IN ('engine', 'router', 'agent', 'memo')),
  tag_name text NOT NULL,
  source text NOT NULL CHECK (source IN ('admin', 'code_host')),
  name text NOT NULL,
  draft boolean NOT NULL,
  prerelease boolean NOT NULL,
  -- [{name, url, size, content_type}]
  assets jsonb NOT NULL CHECK (jsonb_typeof(assets) = 'array'),
  published_at timestamptz,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (component, tag_name, source),
  CHECK (draft OR published_at IS NOT NULL)
);
CREATE UNIQUE INDEX releases_followed ON catalogue.releases (component) WHERE source = 'code_host';
CREATE TRIGGER release_changed AFTER INSERT OR UPDATE OR DELETE ON catalogue.releases
  FOR EACH STATEMENT EXECUTE FUNCTION catalogue.note_change('releases');

-- The repositories at the code host that are followed, and the result of the last check.
CREATE TABLE catalogue.followed_repositories (
  component text PRIMARY KEY CHECK (component IN ('engine', 'router', 'agent', 'memo')),
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
  last_error text
);

-- How often each release was returned as the latest release of its component.
CREATE TABLE catalogue.release_lookups (
  component text NOT NULL,
  tag_name text NOT NULL,
  day date NOT NULL,
  lookups bigint NOT NULL,
  PRIMARY KEY (component, tag_name, day)
);

CREATE TABLE catalogue.changelog_entries (
  id text PRIMARY KEY,
  title text NOT NULL,
  body text NOT NULL,
  component text CHECK (component IN ('engine', 'router', 'agent', 'memo')),
  tag_name text,
  published_at timestamptz NOT NULL,
  published_by text NOT NULL REFERENCES accounts.accounts,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX changelog_list ON catalogue.changelog_entries (published_at DESC, id DESC);
CREATE TRIGGER changelog_changed AFTER INSERT OR UPDATE OR DELETE ON catalogue.changelog_entries
  FOR EACH STATEMENT EXECUTE FUNCTION catalogue.note_change('changelog');

-- Prices are part of public pages.
CREATE TRIGGER price_list_changed AFTER INSERT ON pricing.price_lists
  FOR EACH STATEMENT EXECUTE FUNCTION catalogue.note_change('prices');

GRANT SELECT ON catalogue.changes TO console;
GRANT SELECT, INSERT, DELETE, UPDATE (sha256, uploading_until, stored_at, published_at, removed_at, purged_at)
  ON catalogue.packages TO console;
GRANT SELECT, INSERT, UPDATE, DELETE ON catalogue.models TO console;
GRANT SELECT, INSERT, UPDATE ON catalogue.package_downloads, catalogue.release_lookups TO console;
GRANT SELECT, INSERT, UPDATE, DELETE
  ON catalogue.releases, catalogue.followed_repositories, catalogue.changelog_entries TO console;
`;

const DOWN = `
-- Loses the catalogue. The files of the packages stay in the storage.
DROP TRIGGER price_list_changed ON pricing.price_lists;
DROP SCHEMA catalogue CASCADE;
`;

export class Catalogue0000000000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
