-- The task of a followed repository; scheduling.provider_task says why.
CREATE OR REPLACE FUNCTION scheduling.repository_task(component text, repository text)
RETURNS text LANGUAGE sql IMMUTABLE
AS $$ SELECT 'follow-' || component || '-at-' || md5(repository) $$;
