-- Each provider and each followed repository has its own task. A console takes only the tasks of those it is configured
-- for. The name of a task has 128 characters at most, and a repository may have more.
CREATE OR REPLACE FUNCTION scheduling.provider_task(task text, provider text)
RETURNS text LANGUAGE sql IMMUTABLE
AS $$ SELECT task || '-at-' || provider $$;
