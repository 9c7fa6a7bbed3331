-- Claims the due ones of the jobs :job_ids, under the same conditions as claim, in the given order.
delete from batch;
insert into batch (job_id, org_id, document_id, run_id, stage, rank_in_org, turn)
select job.id, job.org_id, job.document_id, job.run_id, job.stage, offered.key, 0
from json_each(:job_ids) as offered
cross join document_processing_jobs as job
where job.id = offered.value and job.status = 'PENDING' and job.available_at <= :now
  and (:stages is null or job.stage in (select value from json_each(:stages)))
order by offered.key
limit :limit;
-- include take_jobs
