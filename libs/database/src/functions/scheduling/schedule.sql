-- Gives a row one job at this time, in place of an earlier one; no job if the time is null.
CREATE OR REPLACE FUNCTION scheduling.schedule(task text, id text, due_at timestamptz)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
  IF schedule.due_at IS NULL THEN
    PERFORM console_jobs.remove_job(task || ':' || id);
  ELSE
    PERFORM console_jobs.add_job(
      task, json_build_object('id', id), run_at := schedule.due_at, job_key := task || ':' || id);
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION scheduling.schedule FROM PUBLIC;
GRANT EXECUTE ON FUNCTION scheduling.schedule TO console;
