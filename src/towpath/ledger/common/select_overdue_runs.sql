-- Runs past their deadline.
select id
from processing_runs
where state = 'RUNNING' and deadline_at < :now
order by deadline_at
limit :limit
