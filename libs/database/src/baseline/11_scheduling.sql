-- A row that has work to do has one job in the console's queue, at the time at which the row is due. Triggers keep the two in
-- step within the transaction that changes the row. A claim moves the row's job to the end of the claim, so if the process dies,
-- the job that takes over is already queued.
CREATE SCHEMA scheduling;
GRANT USAGE ON SCHEMA scheduling TO console;
